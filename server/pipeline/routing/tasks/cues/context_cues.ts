/** Cues of people, occasions, units and places that a request speaks of. */

export const contextCues = {
  people: `
    my mother, mutter, mère, madre, 妈妈, my father, vater, père, padre, 爸爸, my wife, frau, femme, esposa,
    mujer, 妻子, husband, mann, mari, marido, 丈夫, friend, freund, ami, amie, amigo, amiga, 朋友, neighbour,
    neighbor, nachbar*, voisin*, vecin*, 邻居, boss, chef, cheffe, chefin, patron, jefa, 老板, 领导, colleague,
    kollege*, collègue*, compañer*, 同事, customer, customers, kunde*, client, clients, cliente*, 客户, teacher,
    lehrer*, prof, profesor*, maestr*, 老师, grandma, grandfather, opa, großmutter, großvater, grand père,
    abuelo, 爷爷, sister, schwester, sœur, hermana, 妹妹, 姐姐, brother, bruder, frère, hermano, 弟弟, 哥哥, aunt,
    tante, tía, uncle, onkel, oncle, tío, team, équipe, equipo, 团队, dear, liebe, lieber, cher, chère,
    querid*, estimad*, sehr geehrte*, 尊敬, 亲爱`,
  occasion: `
    retirement, ruhestand, jubilación, 退休, anniversary, jubiläum, aniversario, 周年, birth, geburt, naissance,
    nacimiento, funeral, beerdigung, enterrement, 葬礼, christmas, weihnachten, noël, navidad, 圣诞, new year,
    neujahr, nouvel an, año nuevo, 新年, 春节, graduation, abschluss, graduación, 毕业, easter, ostern, pâques,
    中秋, valentine*, valentinstag, opening, eröffnung, ouverture, inauguración, 开业, farewell, abschied,
    adieu, despedida, 告别, invitation to, party, feier, fête, fiesta, 聚会, congratulat*, glückwünsche,
    félicitations, felicidades, 祝贺, funny, lustig, witzig, drôle, gracios*, 幽默, 搞笑, warm, warme, chaleureu*,
    cálid*, 温暖, kitschig, cursi, sincere, 真诚, informal, humorous, emoji*, hashtag*, stanza*, strophe*,
    estrofa*, rhymes, reimt, rime, rima, 押韵, wortanzahl, characters max, zeichen, caractères, caracteres,
    150 words, 字左右, 800字, paragraphs, absätze, page, seite, página, 一页`,
  unit: `
    kg, km, cm, mm, m2, qm, litres, liter, litros, 升, 公斤, 公里, 厘米, 米, euro, euros, dollar, dollars, eur, usd,
    元, 块, 万, 百分, minutes, minuten, minutos, 分钟, hours, stunden, heures, horas, 小时, kwh, mg, gb, mb, ms,
    tickets per, average of, pro stück, each, je, chacun, cada uno, 每个`,
  format: `
    tsv, jsonl, pdf, xlsx, excel, markdown, iso 8601, spalten, colonnes, columnas, 列, zeilen, lignes, filas,
    行, 表, list, liste, lista, 列表, bullet, bullets, puces, viñetas, key, keys, schlüssel, clé, clave, header,
    kopfzeile, semicolon, semikolon, separated, getrennt, séparé*, separad*, 分隔, one per, je eine, une par,
    uno por, object`,
  travel: `
    travel, 旅行, 旅游, hôtel, 酒店, hostel, flug, vol, vuelo, 飞机, tren, 火车, 高铁, bus, car rental, mietwagen,
    beach, strand, plage, playa, 海滩, mountains, berge, montagne, montaña, 山, city, stadt, ville, ciudad, 城市,
    museum, musée, museo, 博物馆, island, insel, île, isla, 岛, camping, camper, van, backpack*, airport,
    flughafen, aéroport, aeropuerto, 机场, passport, reisepass, passeport, pasaporte, 护照, europe, europa,
    asia, italy, italie, italia, spain, spanien, espagne, españa, france, frankreich, francia, japan, japon,
    japón, 日本, paris, london, berlin, rome, rom, roma, lisbon, lissabon, lisboa, tokyo, tokio, vienna, wien,
    vienne, barcelona, madrid, new york`,
  politics: `
    government, regierung, gouvernement, gobierno, 政府, parliament, parlament, bundestag, assemblée,
    congreso, partei, parti, partido, law passed, gesetz verabschiedet, ministre, ministro, 部长, mayor,
    bürgermeister, maire, alcalde, 市长, eu, nato, un, uno, tariff, tariffs, zölle, zoll, douane, aranceles,
    关税, sanctions, sanktionen, sanciones, stocks, börse, bourse, bolsa, 股市, inflation, inflación, 通胀,
    recall, rückruf, rappel de, retirada, 召回, company, firma, entreprise, empresa, league, liga, ligue, 联赛,
    champion*, bundesliga, olympic*, olympia, jeux olympiques, 奥运, final, finale, 决赛, goal, tor, but, gol,
    进球, band, tour, gira, album, álbum, 专辑, serie, série, 剧, netflix, premiere, iphone, samsung, tesla,
    openai, apple, microsoft, amazon`,
} as const;
