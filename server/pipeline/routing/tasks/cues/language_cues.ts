/** Cues of tasks with language: translating, shortening, writing, playing. */

export const languageCues = {
  translate: `
    translat*, übersetz*, tradui*, traduc*, traduz*, 翻译, 翻成, 译成, 译为, 译一, 翻譯, 怎么说, 怎麼說, how do you say, auf
    deutsch, auf englisch, en anglais, en français, en inglés, en español, in english, into english, into
    german, into french, into spanish, to english, to german, to french, to spanish, in german, in french,
    in spanish, ins englische, ins deutsche, ins französische, ins spanische, al inglés, al español, al
    alemán, al francés, 用英语, 用英文, 英译, 中译, 用德语, 用法语, 译文, vers l, localiz*, localis*, meaning, meaning of,
    veut dire, quiere decir, was heißt, what does it say, was steht da, que dit, qué dice, qué pone, en
    clair, deutsche fassung, version française, versión en, english version, untertitel, subtitle*, sous
    titres, subtítulos, rückübersetz*, retradu*, 回译, 字幕, 说啥, 在说什么, 怎么翻, 中译英, 英译中, wort für, word for, mot
    anglais, palabra inglesa, ausdrücken, 老外`,
  language: `
    english, german, french, spanish, chinese, italian, japanese, portuguese, russian, mandarin, dutch,
    polish, deutsch, englisch, französisch, spanisch, chinesisch, italienisch, anglais, allemand, espagnol,
    français, chinois, italien, inglés, alemán, francés, chino, italiano, japonés, español, portugués, 英文,
    英语, 德语, 法语, 西班牙语, 中文, 日语, 日文, 法文, 德文, 韩语, 意大利语, turkish, arabic, korean, hebrew, latin, danish, swedish,
    greek, hindi, catalan, czech, ukrainian, türkisch, arabisch, polnisch, schwedisch, russisch,
    portugiesisch, latein, turc, arabe, portugais, russe, polonais, turco, árabe, ruso, catalán, coreano,
    韩文, 俄语, 土耳其语, 阿拉伯语, 葡萄牙语, 西语, 繁体, languages, sprachen, langues, idiomas, 语言, en>*, amerikaner, native
    speaker, slang`,
  summarize: `
    summar*, tldr, tl dr, zusammenf*, zusammenzuf*, fass, fasse, kurzfassung, kürze, résum*, resúm*, resum*,
    condens*, synthes*, synthét*, sintet*, sintetiz*, recap*, gist, in short, key points, main points,
    kernaussag*, kernpunkt*, hauptpunkt*, stichpunkt*, points clés, puntos clave, ideas principales, idées
    principales, shorten, boil down, bullet points, 总结, 概括, 摘要, 归纳, 概述, 要点, 总结一下, 缩短, 简述, 太长不看, 提炼, acort*,
    raccourc*, kurz zusammen, digest, takeaways, in einem satz, en una frase, en une phrase, 一句话, short,
    kurz, bref, en bref, breve, en corto, fais court, 简短, 简单说, essence, essential*, wesentlich*, essentiel,
    esencial, 重点, 主要内容, two lines, zwei zeilen, deux lignes, dos líneas, 两行, one sentence, ein satz, une
    phrase, una frase, 一句话说, plot, handlung, intrigue, argumento, 剧情, 梗概, inhaltsangabe, nacherzählung,
    findings, hauptergebnisse, half its, die hälfte, moitié, la mitad, 一半, words max, wörter, mots,
    palabras, 字以内, worum geht, worum gehts, de quoi, de qué trata, qué trata, 讲什么, 讲了什么, overview,
    überblick, in essence, agreed, vereinbart, décidé, acordó, 定了什么, highlights, fiche, esquema, main ideas,
    key ideas, abstract, executive summary, management summary, synopsis, cut this, cut down, eindampf*,
    compress*, reduce, réduis, reduce a, recorta, 压缩, 浓缩, minutes from, recap our, discussed, besprochen,
    聊了什么, point of, der punkt, en el fondo, 到底想`,
  thing: `
    the following, folgenden, folgende, folgender, suivant*, siguiente*, 以下, 下面, 如下, this text, diesen text,
    ce texte, este texto, 这段, 这篇, this article, diesen artikel, cet article, este artículo, 文章, 文字, 对话, this
    email, transcript, protokoll, transkript, compte rendu, acta, chat, conversation, gespräch,
    conversación, thread, paper, report, bericht, rapport, informe, 会议记录, 聊天记录, 报告, texte, texto, paragraph,
    absatz, paragraphe, párrafo, sentence, phrase, frase, 句子, 这句, 段落, below, unten, ci dessous, a
    continuación`,
  write: `
    write, writing, schreib, schreibe, schreiben, verfass*, formulier*, écri*, écris, rédig*, escrib*,
    redact*, compose, draft, entwirf, entwurf, brouillon, borrador, 写, 写一封, 写一篇, 写首, 写一首, 起草, 撰写, 草拟, 写段,
    帮我写, 拟, 编一个, come up, denk dir, imagine, inventa, invente, create a, name for`,
  genre: `
    poem, gedicht*, poème, poema, haiku, sonnet, limerick, story, geschichte, kurzgeschichte, histoire,
    conte, cuento, historia, märchen, letter, brief, lettre, carta, email, mail, courriel, correo, essay,
    aufsatz, dissertation, ensayo, blog, blogpost, article, artikel, artículo, speech, rede, discours,
    discurso, slogan, slogans, tagline, claim, advertisement, anzeige, werbetext, annonce, anuncio, ad copy,
    newsletter, caption, tweet, post, linkedin, instagram, cover letter, bewerbung*, anschreiben, lettre de,
    carta de, cv, lebenslauf, produktbeschreibung, product description, description, descripción, einladung,
    invitation, invitación, toast, lyrics, songtext, screenplay, drehbuch, scénario, guion, chapter,
    kapitel, chapitre, capítulo, novel, roman, novela, review of, dankesrede, kündigung, beschwerde*,
    réclamation, queja, reclamación, apology, entschuldig*, excuses, disculpa, grußkarte, glückwunsch*,
    trauerrede, 诗, 一首, 故事, 小说, 邮件, 作文, 文案, 广告, 演讲稿, 求职信, 推荐信, 辞职信, 标题, 朋友圈, 小红书, 歌词, 剧本, 祝福, 请柬, 情书, 公众号,
    简介, 检讨, 通知, press release, pressemitteilung, communiqué, obituary, nachruf, nécrologie, obituario, 讣告,
    eulogy, fanfic*, fairy tale, bio, diary, tagebuch, subject lines, subject line, betreffzeile*, objets de
    mail, asuntos, radio ad, radiospot, spot, cuña, notice, aushang, affichette, cartel, 告示, condolence*,
    beileid*, condoléances, pésame, 慰问, elternbrief, parents letter, mot aux, nota a, 家长通知, ansprache, 致辞,
    讲话稿, 讲话, erörterung, essay on, 议论文, einspruch, antrag, motivationsschreiben, personal statement, carta
    para, 陈述, 通稿, 新闻稿, thank you note, dankeskarte, verse, reime, rhyme, rhyming, 童话, conte pour, fable,
    monologue, dialogue, dialog, diálogo, 对白, 片段, 短信, 寄语, 祝福语, 口号, arbeitszeugnis, zeugnis, reference
    letter, grant, über mich, headline, überschrift, titre, título, textnachricht, message for, mensaje
    para, mensaje, announcement, ankündigung, teaser, copy, text for, texto para, werbung, publicité,
    publicidad, 种草, 年终总结, 述职, 心得, 读后感, 个人简介, 自我介绍, complaint to, newsletter text, geburtstag, birthday,
    anniversaire, cumpleaños, felicitación`,
  improve: `
    rewrite, reword, rephrase, umschreib*, umformulier*, reformul*, reescrib*, proofread, korrekturles*,
    korrigier*, improve, verbesser*, améliore*, mejora*, grammar, grammatik, grammaire, gramática, spelling,
    rechtschreib*, orthograph*, ortograf*, tone, ton, tono, formal, formell, professional, professionell,
    professionnel, profesional, friendlier, freundlicher, höflich*, klingt, flows, lektor*, 润色, 修改, 语气, 校对,
    语法, 病句, 通顺, 正式, 措辞, 扩写, 错别字, paraphras*, paraphrase, 口吻, kürzer, knackig*, catchy, concise, persuasive,
    tact, taktvoll*, diplomat*, 高情商, 委婉, nicer, netter, amable, flow, flüssig*, fluide, fluya, 顺一点,
    punchier, shorter and, comma*, kommas, virgules, comas, correct sentence, richtig, correcte, typos,
    tippfehler, fautes, faltas, expand, ausformulier*, fließtext, développe, desarrolla, bullets into, aus
    den stichpunkten, avec ces notes, con esto, 根据要点, repetitive, répétition*, repite, 啰嗦, hölzern, steif,
    clunky, simple language, einfacher sprache, less formal, sound more`,
  roleplay: `
    act as, pretend, roleplay, role play, rollenspiel*, jeu de, juego de, you are, you re, du bist, tu es,
    eres, 你是, 你现在是, 扮演, 你来当, 假装, 假设你是, spiele, spielen, jouons, juguemos, let s, lass     uns, stay in, in
    character, bleib in, character, charakter, personnage, personaje, persona, 角色, 人设, stell dir, imagine
    you, imagine que, imagina que, tu so, fais comme, haz de, finge, be my, sei mein, sois, sé mi, dungeon
    master, game master, spielleiter, maître du, text adventure, textadventure, aventure textuelle, 你演, 我演,
    我扮, 冒险, 代入, 沉浸, 接龙, 成语接龙, 猜谜, 游戏, 20 questions, riddle, simul*, interview     me, npc, speak as, talk
    like, sprich wie, parle comme, habla como, antworte als, answer as, réponds     comme, responde como, be
    a, be the, you play, du als, you are the, you re a, haz como, fais ma, fais mon, fais le, háblame,
    sprich, parle moi, answer like, answer every, antworte wie, antworte ab, réponds en, galgenmännchen,
    hangman, pendu, ahorcado, wortkette, word chain, truth or, wahrheit oder, action ou, verdad o, 真心话,
    encadenadas, stadt land, escape room, quiz me, frag mich, ask me, pregúntame, interroge, 问我, you start,
    you first, du fängst, du zuerst, fang an, fängst du, tu commences, à toi, commence, empiezas, empieza,
    你先, 你先来, 开始吧, scène, escena, 场景, 演一场, practise, practice, üben, practicar, pratiquer, m entraîne, 我想练,
    mock, would you, from now, ab jetzt, à partir, a partir, desde ahora, 从现在, 互动, 你来, 来演, 猜单词, adivinanz*,
    devinette*, rätsel, never break, ne sors, nunca sales, bleibst, 不要跳出, choices each, trois choix, tres
    opciones, drei möglichkeiten, 三个选项, drill sergeant, i am the, je suis la, yo soy la, ich bin der, 我是`,
  persona: `
    pirate, pirat, pirata, wizard, zauberer, sorcier, mago, knight, ritter, chevalier, caballero, dragon,
    drache, dragón, tavern, taverne, taberna, detective, detektiv, détective, vampire, vampir, vampiro,
    captain, kapitän, capitaine, capitán, king, könig, roi, rey, queen, königin, reine, reina, elf, orc,
    zombie, alien, robot, roboter, ghost, geist, fantôme, fantasma, sherlock, shakespeare, einstein,
    cleopatra, napoleon, medieval, mittelalter*, princess, prinzessin, prinz, prince, butler, witch, hexe,
    bruja, sorcière, spaceship, raumschiff, vaisseau, nave, villain, batman, gandalf, yoda, goblin,
    girlfriend, boyfriend, freundin, interviewer, shopkeeper, wirt, 海盗, 巫师, 骑士, 公主, 皇帝, 侦探, 吸血鬼, 将军, 魔王, 精灵,
    师父, 孙悟空, 李白, 诸葛亮, 机器人, 客栈, 江湖, 修仙, 主角, 面试官, 猫娘, 女友, 男友, 大侠, 陛下, submarine, troll, android, fridge,
    kühlschrank, frigo, nevera, 冰箱, grandmother, oma, grand mère, abuela, 奶奶, sergeant, sergent, sargento,
    教官, professor, professeur, catedrática, interrog*, tourist, touriste, turista, 游客, innkeeper, tabernero,
    掌柜, lady, sire, majesty, majestät, majesté, majestad, hofnarr, jester, seer, ferryman, fährmann,
    passeur, barquero, 船夫, merchant, händler, marchand, mercader, 商人, goethe, aurel, aurelio, aurèle,
    investor, investisseur, customer who, kunden der, client mécontent, cliente enfadado, 顾客, recruiter,
    recruteur, personalchef, landlord, lawyer, anwalt, 律师, adventurer*, held, helden, héros, héroes,
    aventuriers, 勇者, crypt, crypte, ruinas, ruinen, 废墟, 城主, space station, raumstation, sword, schwert,
    épée, espada`,
} as const;
