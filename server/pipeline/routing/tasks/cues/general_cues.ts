/** Cues of questions and of pictures. */

export const generalCues = {
  picture: `
    image, images, photo, photos, picture, pic, screenshot*, bild, bilder, foto, fotos, abgebildet, imagen,
    imágenes, captura, capture d, cette photo, diagram, diagramm, diagramme, diagrama, chart, graph, plakat,
    shown, 图, 图片, 照片, 截图, 这张, 图中, 图里, 图上, 画面, see here, hier zu, drawing, zeichnung, dessin, dibujo, scan,
    gescannt, painting, gemälde`,
  question: `
    what, why, how, when, who, which, was, wie, wer, wann, wo, wieso, weshalb, que, quoi, quel, quelle,
    pourquoi, comment, quand, qui, où, qué, cómo, cuándo, quién, dónde, cuál, por qué, 什么, 怎么, 如何, 谁, 哪, 为何,
    吗, 呢, 是不是, is it, can i, kann man, darf, peut on, se puede, does, do`,
  advice: `
    should i, soll ich, sollte, dois je, debería, recommend*, empfehl*, recommand*, recomiend*, recomend*,
    tips, tipps, conseil*, consejo*, advice, rat, help me, worth it, lohnt, vaut, vale la, better, mieux,
    mejor, 建议, 推荐, 应该, 好吗, 值得, 怎么办, 哪个好, gesund, healthy, difference between, unterschied*, différence*,
    diferencia*, 区别, 不同, bedeutet, signifie, significa, 意思, how to, how do, wie kann, wie     macht, comment
    faire, cómo se, history, geschichte der, histoire de, historia de, 历史, 原理, benefits, vorteile,
    avantages, ventajas, 好处, capital of, hauptstadt, who was, wer war, why do, why does, warum haben,
    pourquoi les, por qué los, can you freeze, einfrieren, congeler, congelar, 冷冻, symptoms, symptom*,
    symptômes, síntomas, 症状, legal, rechtlich, obliged, verpflichtet, obligé, obligado, gift, geschenk*,
    cadeau*, regalo, 礼物, best way, how long do, how many calories, is it bad, is it rude, ist es, est il, es
    malo, es mejor, 可以吗, 能不能, 要不要, 有哪些, wann sagt, when should, quand dit, cuándo se, concept, konzept,
    concepto, principe, principio, 概念, define, definition, définition, definición, theories, theorien,
    théories, teorías, 说法, cons, gründe, causes of, causes, causas, ursachen, wer schrieb, who wrote, who
    painted, qui a écrit, quién escribió, 作者, hello, hallo, hi, hola, bonjour, bonsoir, salut, thanks, thank
    you, danke, merci, gracias, 你好, 谢谢, 早上好, good morning, guten morgen, buenas, stain, fleck, tache,
    mancha, plants, pflanzen, plantes, plantas`,
  explain: `
    explain*, erklär*, erläuter*, expli*, 解释, 讲解, 说明, 讲讲, 什么意思, what does, was macht, was bedeutet, que
    fait, qué hace, 做什么, 干什么, 干嘛, walk me, versteh*, understand*, comprend*, entend*, entiend*, line by,
    zeile für, ligne par, línea por, 逐行, 什么作用`,
} as const;
