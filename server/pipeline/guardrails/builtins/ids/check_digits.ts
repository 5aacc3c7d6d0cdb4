/** The sums that check digits are made of. */

export const digitsOf = (text: string): readonly number[] => [...text].map(Number);

/** The sum of each digit times its weight; digits without a weight count nothing. */
export const weigh = (digits: readonly number[], weights: readonly number[]): number =>
  weights.reduce((sum, weight, position) => sum + weight * (digits[position] ?? 0), 0);

/** Luhn's sum, from the right. */
export function passesLuhn(digits: readonly number[]): boolean {
  const sum = digits.toReversed().reduce((total, digit, position) => {
    const doubled = position % 2 === 1 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

/** Whether a number of digits leaves a rest by a divisor, however long it is. */
export const restOf = (digits: string, divisor: number): number =>
  [...digits].reduce((rest, digit) => (rest * 10 + Number(digit)) % divisor, 0);

const table = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  [1, 2, 3, 4, 0, 6, 7, 8, 9, 5],
  [2, 3, 4, 0, 1, 7, 8, 9, 5, 6],
  [3, 4, 0, 1, 2, 8, 9, 5, 6, 7],
  [4, 0, 1, 2, 3, 9, 5, 6, 7, 8],
  [5, 9, 8, 7, 6, 0, 4, 3, 2, 1],
  [6, 5, 9, 8, 7, 1, 0, 4, 3, 2],
  [7, 6, 5, 9, 8, 2, 1, 0, 4, 3],
  [8, 7, 6, 5, 9, 3, 2, 1, 0, 4],
  [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
];
const swaps = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];

/** Verhoeff's: in the group of a pentagon's turns. */
export function passesVerhoeff(digits: readonly number[]): boolean {
  const sum = digits.toReversed().reduce((total, digit, position) => {
    let turned = digit;
    for (let times = position % 8; times > 0; times--) turned = swaps[turned] ?? 0;
    return table[total]?.[turned] ?? 0;
  }, 0);
  return sum === 0;
}

/** Whether two digits each are a month and a day; a day may have been moved by so much. */
export function isMonthAndDay(month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= (month === 2 ? 29 : 31);
}
