/** How attempts to take over a model are worded. */

import { end, form, gap, type InjectionForm, some } from "./injection_words.ts";

const en = {
  filler:
    "all|any|every|each|of|the|your|my|these|those|this|that|our|and|to|everything|anything|whatever|completely|entirely|please|now|just|you|were|was|have|been|us|me|told|gave|given|about|from|in|with",
  earlier:
    "previous|prior|above|preceding|earlier|former|foregoing|past|original|initial|existing|current|system|safety|content|developer|hidden|internal|default|built-in|ethical|moderation|openai'?s|anthropic'?s|usage|security|guardrail|before|former|secret|confidential",
  orders:
    "(?:instructions?|prompts?|rules|directions?|directives?|guidelines?|commands?|constraints?|restrictions?|policies|policy|guardrails?|safeguards?|programming|training|context|messages?|orders|filters?|protocols?)",
} as const;

const englishOrders = `${gap}${some(en.filler, 5)}${some(en.earlier, 3)}`;

export const injectionForms: readonly InjectionForm[] = [
  // English: orders against the instructions
  form(
    "ignore|ignoring|disregard|disregarding|forget|neglect|discard",
    `${gap}(?:${some(en.filler, 5)}(?:(?:${en.earlier})${gap}(?:and |or )?){1,3}${en.orders}${end}` +
      `|(?:all )?(?:of )?(?:your|the|my|its) (?:instructions|guidelines|programming|training|guardrails|safeguards|directives)${end}` +
      `|(?:everything|anything|all|whatever) (?:that )?(?:you|above|before|i|was|has been|previously|said)(?: (?:were|have been|was|had been|been|said|told|know|learned))?${end})`,
  ),
  form(
    "override|overriding|bypass|bypassing|circumvent|violate|break",
    `${gap}(?:all |any )?(?:of )?(?:your|the (?:system|safety)|previous|prior|earlier|safety|content|system|ethical|moderation|its|these|those)${gap}` +
      `${some(en.earlier, 3)}${en.orders}${end}`,
  ),
  form(
    "do not|don't|dont|stop|never|no longer",
    `${gap}(?:follow|obey|following|obeying|comply with)${englishOrders}${en.orders}${end}`,
  ),
  // The system prompt
  form(
    "reveal|print|show|display|output|repeat|tell|give|leak|expose|disclose|dump|share|write|recite|send|summari[sz]e|translate|encode|what|copy|paste",
    `${gap}${
      some(
        "me|us|out|back|verbatim|is|are|were|was|the|your|all|of|full|entire|exact|complete|whole|contents?|text|word for word|copy|in full|everything|hidden|initial|original|secret|confidential|internal",
        6,
      )
    }` +
      `(?:system (?:prompt|message|instructions)|(?:hidden|initial|original|secret|confidential|internal|developer|preceding|starting) (?:prompt|instructions|rules|guidelines)|(?:text|words|instructions|content|everything|messages?) (?:above|before this|before the|you were given|prior to)|your (?:prompt|instructions|rules|guidelines|programming|configuration prompt))${end}`,
  ),
  // Other roles
  form(
    "you are|you're|your name is|act as|acting as|behave as|pretend to be|pretend you are|pretend you're|roleplay as|role-play as|respond as|simulate|become|from now on you are|you will act as",
    `${gap}${
      some(
        "now|going to|be|a|an|the|my|as|act|acting|in|called|like|if you were|pretend|to|being|operating|running|model|ai|assistant|chatbot|version of",
        6,
      )
    }` +
      `(?:dan${end}|do anything now|jailbroken|jailbreak|unrestricted|uncensored|unfiltered|stan${end}|aim${end}|developer mode|god mode|dude${end}|evil|amoral|freed?${end}(?= from| of)|without (?:any )?(?:restrictions|rules|limits|limitations|filters|guidelines|ethics)|no longer (?:bound|restricted|limited|an ai|subject)|not bound by|(?:with|has|have) no (?:restrictions|rules|limits|limitations|filters|guidelines|ethical))`,
  ),
  form(
    "you (?:can|may|must|will|are able to|have the ability to|are free to)",
    `${gap}(?:now )?do anything now${end}`,
  ),
  form(
    "enable|enter|activate|switch to|switch into|turn on|unlock|engage|initiate|go into|enabling",
    `${gap}${
      some("the|your|into", 2)
    }(?:developer|dan|jailbreak|jailbroken|god|debug admin|unrestricted|unfiltered|uncensored|maintenance override|sudo|evil) mode${end}`,
  ),
  form(
    "jailbreak mode|dan mode|do anything now|developer mode (?:is )?(?:now )?(?:enabled|activated|on)",
    "",
  ),
  form(
    "new (?:system )?instructions|new system prompt|updated instructions|begin new instructions|system override|admin override|end of (?:system )?(?:prompt|instructions)|override code",
    `(?:${gap}|\\s?[\\]}>*#=-]{1,4})(?=\\S|\\n|\\s)`,
  ),
  form(
    "without",
    `${gap}(?:any )?(?:ethical|moral|safety|content) (?:guidelines|restrictions|filters?|limits|constraints|considerations|policies)${end}`,
  ),
  form(
    "your (?:previous|prior|original|old|former|initial) (?:instructions|rules|guidelines|prompt|programming)",
    `${gap}(?:are|is|were|have been|has been|no longer|do not|don't)${end}`,
  ),
  form(
    "(?:above|previous|preceding) (?:instructions|rules|prompt)",
    `${gap}(?:are|is|were|was) (?:a test|fake|now void|void|cancelled|canceled|no longer|invalid|outdated|obsolete|just)`,
  ),
  // Marks of chat formats
  form(
    "<\\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|end_header_id|eot_id|begin_of_text)\\|>",
    "",
  ),
  form("<\\/?(?:system|system_prompt|sys|instructions_override|admin)>", ""),
  form("<<\\/?SYS>>|\\[\\/?INST\\]|\\[system\\](?:\\(#\\w{1,16}\\))?|<start_of_turn>", ""),
  form(
    "#{2,4} ?(?:system|new instructions?|instruction override|system prompt|system message)",
    "(?: ?:| ?\\n| ?$)",
  ),
  form("(?:begin|end) (?:of )?system (?:prompt|message|instructions)", end),
  // German
  form(
    "ignorier(?:e|en|t)?|vergiss|vergessen sie|missachte|missachten sie|umgehe|übergehe|überschreibe|verwirf",
    `${gap}${
      some(
        "sie|bitte|alle|deine|ihre|die|jetzt|sämtliche|meine|den|das|diese|von|bisher|zuvor|dir|komplett",
        4,
      )
    }(?:(?:vorherigen?|bisherigen?|obigen?|früheren?|vorigen?|vorangegangenen?|ursprünglichen?|zuvor gegebenen|internen?|geltenden?)${gap}){0,2}(?:anweisung(?:en)?|instruktionen|befehle|regeln|vorgaben|richtlinien|system-?prompt|systemanweisung(?:en)?|sicherheitsregeln|einschränkungen|prompts?)${end}|${gap}alles,? was (?:du|dir|sie|ihnen|davor|bisher|oben|vorher)`,
  ),
  form(
    "zeig(?:e|en)?|verrate?n?|nenne?|gib|geben sie|wiederhole|offenbare|drucke|schreibe",
    `${gap}${
      some(
        "mir|sie|uns|den|deinen?|ihren?|die|das|vollständigen?|gesamten?|kompletten?|geheimen?|internen?|wörtlich|genauen?|deine|ursprünglichen?|versteckten?",
        5,
      )
    }(?:system-?prompt|system-?anweisung(?:en)?|systemnachricht|geheimen? anweisungen|anweisungen)${end}`,
  ),
  form(
    "du bist (?:jetzt|nun|ab sofort)|ab (?:jetzt|sofort) bist du|tu so,? als (?:ob|wärst) du",
    `${gap}${
      some("ein|eine|einer|der|die|das|ki|als|du|wärst|ohne|assistent|modell", 5)
    }(?:dan${end}|unzensiert|uneingeschränkt|jailbreak|regeln|einschränkungen|filter|grenzen|entwicklermodus|unbeschränkt)`,
  ),
  // French
  form(
    "ignore[zr]?|oublie[zr]?|outrepasse[zr]?|contourne[zr]?|ne (?:tiens|tenez) (?:pas|plus) compte|fais abstraction|n'obéis plus",
    `${gap}${
      some("toutes?|tous|les?|la|tes|vos|tout|de|des|ces|mes|à|aux", 4)
    }(?:instructions?|consignes?|règles?|directives?|ordres|restrictions|messages?|prompt)${gap}?(?:(?:précédent|antérieur|ci-dessus|reçu|donné|initial|système|original|de sécurité|d'avant|qui précèd|systeme)\\p{L}{0,4}|que|ci-dessus)|${gap}${
      some("tout", 1)
    }(?:ce qui précède|ce qu['’]on t['’]a dit)`,
  ),
  form(
    "révèle[zr]?|affiche[zr]?|montre[zr]?|donne[zr]?|répète[zr]?|imprime[zr]?|dis|divulgue[zr]?|recopie[zr]?",
    `${gap}${
      some(
        "moi|le|la|les|tes|vos|ton|votre|nous|mot|pour|texte|intégralité|du|de|contenu|complet|l['’]intégralité",
        5,
      )
    }(?:prompt (?:système|systeme|initial|caché|complet)|instructions? (?:système|systeme|initiales?|cachées?|secrètes?|internes?)|message système|consignes? (?:initiales?|cachées?|secrètes?|internes?))${end}`,
  ),
  form(
    "tu es (?:maintenant|désormais)|vous êtes (?:maintenant|désormais)|fais comme si tu étais|agis comme|à partir de maintenant,? tu es",
    `${gap}${
      some("une?|le|la|ia|en|assistant|modèle|mode|sans", 5)
    }(?:dan${end}|non censurée?|sans (?:aucune )?(?:restrictions?|limites?|filtres?|règles?)|jailbreak\\p{L}{0,2}|aucune (?:restriction|limite|règle)|restrictions?|limites?|mode développeur|développeur)`,
  ),
  // Spanish and Italian
  form(
    "ignora|ignore|olvida|olvide|omite|desobedece|desestima|dimentica|trascura|non seguire|bypassa|aggira|no sigas|sáltate",
    `${gap}${
      some(
        "todas?|todos?|las?|los|tus|sus|mis|el|de|tutte|tutti|le|gli|il|i|ogni|quelle|queste|cualquier|esas",
        4,
      )
    }(?:(?:anteriores|previas|precedenti|previos)${gap})?(?:instrucciones|reglas|órdenes|indicaciones|directrices|restricciones|istruzioni|regole|indicazioni|direttive|comandi|restrizioni|mensajes|messaggi)${gap}(?:(?:anterior|previa|previo|precedent|inicial|original|inizial|ricevut|recibid|dat[ea]|di sicurezza|de seguridad|del sistema|di sistema|sopra|de arriba|que|che|hasta|fino)\\p{L}{0,4})|${gap}(?:todo lo anterior|todo lo que|tutto ciò che|tutto quello che)`,
  ),
  form(
    "revela|revele|muestra|muéstrame|dime|imprime|repite|escribe|rivela|rivelami|mostra|mostrami|stampa|ripeti|dimmi|scrivi|enséñame",
    `${gap}${
      some(
        "me|el|la|los|las|tu|tus|su|texto|completo|de|del|il|lo|le|tuo|tue|tuoi|testo|esatto|qual|cuál|es|è|parola|per|contenuto|contenido|mi",
        6,
      )
    }(?:prompt (?:de |del |di )?(?:sistema|system|oculto|nascosto|inicial|iniziale)|system prompt|prompt del sistema|instrucciones (?:ocultas|internas|secretas|iniciales|del sistema|de sistema)|istruzioni (?:nascoste|interne|segrete|iniziali|di sistema|del sistema)|mensaje (?:de|del) sistema|messaggio di sistema)${end}`,
  ),
  form(
    "ahora eres|a partir de ahora eres|desde ahora eres|ora sei|da ora in poi sei|adesso sei|actúa como|comportati come|finge que eres|fai finta di essere|eres ahora",
    `${gap}${
      some("una?|uno|el|la|ia|in|en|modo|modelo|modello|asistente|assistente|si|como|come|se|fossi|fueras", 6)
    }(?:dan${end}|sin (?:ninguna |ningún )?(?:restricciones|límites|filtros|censura|reglas|restricción)|senza (?:alcuna? |nessuna? )?(?:restrizion[ei]|limiti|filtri|censura|regole)|jailbreak|sin censura|desarrollador|sviluppatore)`,
  ),
  // Portuguese, Dutch, Russian, Chinese, Japanese
  form(
    "ignore|ignora|esqueça|esquece|desconsidere",
    `${gap}${
      some("todas|todos|as|os|suas|tuas|tudo|o", 4)
    }(?:instruções|regras|ordens|diretrizes|mensagens)${gap}(?:anteriores|prévias|acima|iniciais|do sistema)${end}`,
  ),
  form(
    "negeer|vergeet",
    `${gap}${
      some("alle|al|je|jouw|de|uw", 3)
    }(?:vorige|eerdere|voorgaande|bovenstaande) (?:instructies|opdrachten|regels|aanwijzingen)${end}`,
  ),
  form(
    "игнорируй(?:те)?|забудь(?:те)?|проигнорируй(?:те)?|покажи|раскрой",
    `${gap}${
      some("все|всё|свои|твои|мне|свой|твой", 3)
    }(?:(?:предыдущие|прежние|прошлые|вышеуказанные) (?:инструкции|указания|правила|команды)|системн(?:ый|ые) (?:промпт|инструкции|запрос))`,
  ),
  form(
    "忽略|无视|無視|忘记|忘掉|忘记所有|请忽略",
    "(?:你|您|掉|以上|之前|先前|上面|前面|所有|全部|一切|的|收到){0,6}(?:指令|指示|规则|提示词?|说明|设定|要求|规定)",
  ),
  form(
    "以前の|これまでの|上記の|前の",
    "(?:すべての|全ての)?(?:指示|命令|ルール|指令|プロンプト)(?:を|は)?(?:すべて|全て)?(?:無視|忘れ)",
  ),
  form("显示|输出|透露|告诉我|打印", "(?:你|您|的|完整|全部|原始){0,5}(?:系统提示词?|系统指令|初始指令)"),
];
