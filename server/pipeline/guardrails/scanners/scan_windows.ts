/** How far a match may reach where its pattern has no bound, in code units. */

/** How far a match may reach on output, where its pattern has no bound or a larger one (promises S7). */
export const OUTPUT_WINDOW = 1_024;

/** The same on input, where nothing is held back. */
export const INPUT_WINDOW = 65_536;
