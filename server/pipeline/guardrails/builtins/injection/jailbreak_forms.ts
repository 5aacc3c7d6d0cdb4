/** How texts that are passed on in the internet ask a model to play somebody without rules. */

import { end, form, gap, type InjectionForm, some } from "./injection_words.ts";

const wrongs =
  "illegal|unethical|immoral|amoral|harmful|offensive|dangerous|inappropriate|explicit|unlawful|derogatory|racist|sexist";
const between = "[\\s,/]{1,3}(?:(?:and|or|and/or) )?";
const morals =
  "ethic(?:s|al)|moral(?:s|ity)?|legal(?:ity)?|content|safety|censorship|societal|social|openai(?:['’]?s)?|built-in";
const bounds =
  "restrictions?|limitations?|filters?|guidelines?|boundaries|rules|constraints?|considerations?|concerns?|principles?|" +
  "standards?|norms|policy|policies|compass|limits?|codes?|obligations?|values|implications";

export const jailbreakForms: readonly InjectionForm[] = [
  form(
    "never|cannot|can't|can not|won't|will not|do not|don't|does not|doesn't|must not|mustn't|not allowed to|unable to|without",
    `${gap}${
      some("ever|be|able|to|allowed|even|simply|you|it|he|she", 3)
    }(?:refus(?:es?|ing)|declin(?:es?|ing)|reject(?:s|ing)?|says? no|censor(?:s|ing)?|morali[sz](?:es?|ing)|warnings|disclaimers)${end}`,
  ),
  form(
    "stay|stays|staying|remain|remains|remaining|break|breaks|breaking",
    `${gap}(?:in |out of )?character${end}`,
  ),
  form(
    "no|any|all|without|free from|free of|bypass|bypasses|bypassing|ignore|ignores|ignoring|disregard|disregards|disregarding|" +
      "not bound by|not limited by|not restricted by|not constrained by|not subject to|not have|not follow|not adhere to|" +
      "not care about|doesn't have|doesn't care about|don't have|removes?|lacks?|regardless of|regard for|irrespective of",
    `${gap}${
      some("any|all|the|its|their|his|her|your|a|of|such|sort|kind|or|and|by|sense", 5)
    }(?:(?:${morals})${between}){0,3}` +
      `(?:(?:${morals})${gap}(?:${bounds})|ethics|morals|morality|legality|censorship|openai)${end}`,
  ),
  form(wrongs, `(?:${between}(?:${wrongs})){1,4}${end}`),
  form(
    "uncensored|unfiltered|unrestricted|amoral|unethical|jailbroken|unhinged|immoral",
    `${gap}${some("and|ai|a|very|completely|language|evil|unbiased|honest", 3)}` +
      `(?:ai|chatbot|assistant|character|responses?|answers?|outputs?|model|bot|version|persona|content|mode|information|advice)${end}`,
  ),
  form(
    "openai",
    `(?:['’]?s)?${gap}${some("content|usage|use|safety|ethical|moral|and|strict|own|case|terms|of", 4)}` +
      `(?:policy|policies|guidelines|rules|restrictions|limitations|limits|values|filters?)${end}`,
  ),
  form("\\[(?:jailbreak|gpt|classic|dan|developer mode|normal)\\]", ""),
];
