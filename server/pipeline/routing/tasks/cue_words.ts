/**
 * Words that say what is asked for, in English, German, French, Spanish and Chinese, by what they mean: the five languages
 * share what training learns of a group. `begin*` stands for all words that begin so; case and accents do not matter.
 */

const listed = {
  translate: `
    translat*, übersetz*, tradui*, traduc*, traduz*, 翻译, 翻成, 译成, 译为, 译一, 翻譯, 怎么说, 怎麼說, how do you say, auf
    deutsch, auf englisch, en anglais, en français, en inglés, en español, in english, into english, into
    german, into french, into spanish, to english, to german, to french, to spanish, in german, in french,
    in spanish, ins englische, ins deutsche, ins französische, ins spanische, al inglés, al español, al
    alemán, al francés, 用英语, 用英文, 英译, 中译, 用德语, 用法语, 译文, vers l, localiz*, localis*`,
  language: `
    english, german, french, spanish, chinese, italian, japanese, portuguese, russian, mandarin, dutch,
    polish, deutsch, englisch, französisch, spanisch, chinesisch, italienisch, anglais, allemand, espagnol,
    français, chinois, italien, inglés, alemán, francés, chino, italiano, japonés, español, portugués, 英文,
    英语, 德语, 法语, 西班牙语, 中文, 日语, 日文, 法文, 德文, 韩语, 意大利语`,
  summarize: `
    summar*, tldr, tl dr, zusammenf*, zusammenzuf*, fass, fasse, kurzfassung, kürze, résum*, resúm*, resum*,
    condens*, synthes*, synthét*, sintet*, sintetiz*, recap*, gist, in short, key points, main points,
    kernaussag*, kernpunkt*, hauptpunkt*, stichpunkt*, points clés, puntos clave, ideas principales, idées
    principales, shorten, boil down, bullet points, 总结, 概括, 摘要, 归纳, 概述, 要点, 总结一下, 缩短, 简述, 太长不看, 提炼, acort*,
    raccourc*, kurz zusammen, digest, takeaways, in einem satz, en una frase, en une phrase, 一句话`,
  error: `
    error, errors, fehler, fehlermeldung, erreur*, errores, fehlgeschlagen, exception*, traceback,
    stacktrace, stack trace, segfault, segmentation, crash*, abst\u00fcrz*, st\u00fcrzt, plante,
    excepci\u00f3n, undefined, nullpointer*, typeerror, valueerror, keyerror, referenceerror, syntaxerror,
    attributeerror, indexerror, importerror, modulenotfounderror, runtimeerror, nan, null, panic, panics,
    panicked, errno, eacces, econnrefused, warning, 报错, 错误, 异常, 崩溃, 失败, 出错, 警告, failed, fails, failing,
    throws, wirft, unhandled, timeout, deadlock, leak, 超时, 泄漏, 死锁, cors, falla, échoue, exit code, 500, 404`,
  notWorking: `
    doesnt work, not working, t work, isnt working, broken, wrong, bug, bugs, buggy, stuck, hangs, freezes,
    funktioniert nicht, geht nicht, klappt nicht, kaputt, hängt, warum, marche pas, fonctionne pas, marche
    plus, fonctionne plus, ne marche, bloqué, bogue, no funciona, no va, no anda, no sale, no carga, roto,
    atascado, 不工作, 不行, 没反应, 不起作用, 不对, 有问题, 卡住, 哪里错, 为什么, 怎么回事, 失效, 不生效, 打不开, 跑不, instead of, statt, au lieu,
    en vez, 而不是, suddenly, plötzlich, ne s, 没有输出, 白屏`,
  fix: `
    fix, fixes, fixed, fixing, debug*, repar*, répar*, corrig*, behebe*, behoben, beheben, repariere*,
    reparatur, arregl*, solucion*, depur*, débog*, débug*, resolve, troubleshoot*, 修复, 修一下, 修正, 调试, 排查, 解决,
    改好, 修好, diagnos*, root cause, ursache, cause, causa, 原因, find the, finde den`,
  codeLanguage: `
    python, javascript, typescript, java, kotlin, rust, golang, php, ruby, swift, csharp, cpp, perl,
    haskell, scala, bash, powershell, shell, html, css, react, vue, angular, svelte, django, flask, fastapi,
    spring, node, nodejs, express, nextjs, laravel, rails, flutter, dart, lua, matlab, c, pandas, numpy,
    pytorch, tensorflow, npm, pip, jquery, tailwind, elixir, julia, fortran, assembly, arduino, unity,
    godot, vba, excel makro, regex, regexp, terraform, ansible, docker*, kubernetes, nginx, yaml, webpack,
    vite, git, github, graphql, api, rest, makefile, cmake, systemd, cron, cronjob`,
  codeNoun: `
    function, functions, funktion, funktionen, fonction, fonctions, función, funciones, class, klasse,
    classe, clase, method, methode, méthode, método, script, scripts, skript*, code, codes, código, program,
    programm, programme, programa, endpoint, component, komponente, composant, componente, hook, module,
    modul, bibliothek, library, librairie, biblioteca, algorithm*, algorithmus, algoritmo, parser, loop,
    schleife, boucle, bucle, array, hashmap, decorator, middleware, crud, frontend, backend, webapp, app,
    plugin, extension, cli, unit test, unit tests, unittest*, tests unitaires, pytest, jest, junit, test
    cases, testfälle, pruebas unitarias, variable, string, linked list, binary tree, queue, compiler,
    snippet, repo, repository, pipeline, button, form, formular, navbar, 函数, 代码, 脚本, 程序, 类, 方法, 组件, 接口, 算法,
    循环, 数组, 单元测试, 中间件, 变量, 爬虫, 前端, 后端, 装饰器, 正则, 小程序, 链表, 二叉树, 字符串, 线程`,
  codeVerb: `
    implement*, implementier*, implémen*, programmier*, programm*, programar, coder, codea, code, refactor*,
    refaktor*, kompilier*, compil*, migrate, convert, port, deploy, instal*, add, make it, ergänze, füge,
    ajoute*, añade*, agrega*, 实现, 编写, 重构, 写个, 写一个, 封装, 改写, 改成, 部署, 添加, 加上, 加个, 开发, rewrite this`,
  review: `
    review*, code review, kritik, kritisch, critique*, feedback, begutacht*, bewert*, beurteil*, évalu*,
    evalú*, evalua*, opini*, opinas, was hältst, what do you think, think of, que penses, qu en, qué te,
    audit*, revue, relis, relecture, revis*, revisa, revisar, is this, ist das, est ce, es correcto, clean
    code, idiomatic*, best practice*, bonnes pratiques, buenas prácticas, vulnerab*, verwundbar*,
    sicherheit*, security, sécurité, seguridad, secure, insecure, lesbar*, readab*, lisib*, legib*,
    maintainab*, wartbar*, performan*, smell*, race condition*, thread safe, threadsafe, injection, xss,
    complexity, komplexität, 评审, 审查, 审核, 代码审查, 评价, 看看这段, 有什么问题, 安全, 漏洞, 可读性, 性能, 规范, 复杂度, 最佳实践, 线程安全, 优化建议,
    code style, merge, pull request, pr, diff, überprüf*, prüf*, vérifi*, check this, schwachstell*,
    verbesserungs*, améliorations, mejoras, 改进`,
  explain: `
    explain*, erklär*, erläuter*, expli*, 解释, 讲解, 说明, 讲讲, 什么意思, what does, was macht, was bedeutet, que
    fait, qué hace, 做什么, 干什么, 干嘛, walk me, versteh*, understand*, comprend*, entend*, entiend*, line by,
    zeile für, ligne par, línea por, 逐行, 什么作用`,
  sql: `
    sql, postgres*, mysql, sqlite, mariadb, oracle, mssql, bigquery, snowflake, redshift, clickhouse,
    mongodb, query, queries, abfrage*, requête*, consulta*, select, inner join, left join, join, joins,
    group by, order by, create table, varchar, primary key, foreign key, index, where, having, upsert, cte,
    window function, fensterfunktion*, database, datenbank*, base de, bases de, tabelle, tabellen, schema,
    jsonb, trigger, stored procedure, row number, partition by, insert into, update, delete from, alter
    table, foreign, 查询, 数据库, 建表, 表结构, 索引, 外键, 主键, 字段, 联表, 存储过程, 触发器, 连表, 窗口函数, 慢查询, prisma, dbt, explain
    analyze, tsql, plsql, fremdschlüssel, normalform, clave foránea, clé étrangère`,
  figures: `
    data, daten, données, datos, dataset, csv, figures, zahlen, chiffres, cifras, numbers, table, tabelle,
    tableau, tabla, umsatz, umsätze, revenue, sales, ventes, ventas, quarter, quartal, trimestre, q1, q2,
    q3, q4, jan, feb, märz, kpi, kpis, conversion, churn, umfrage, survey, sondage, encuesta, results,
    ergebnisse, résultats, resultados, besucher, visitors, rows, spalte, columns, kosten, costs, budget, 数据,
    表格, 销售, 营收, 季度, 月份, 问卷, 数字, 转化率, 留存, 报表, 销售额, 同比, 环比, 用户数, metrics, kennzahlen, messwerte, measurements,
    mesures`,
  analyze: `
    analy*, analiz*, analis*, auswert*, werte, trend*, tendenz*, tendenc*, tendanc*, correl*, korrel*,
    corrél*, statisti*, estadís*, average, mean, median, durchschnitt*, moyenne, promedio, media,
    mittelwert, ausreißer, outlier*, valor atípico, aberrant*, insight*, erkenntnis*, signific*, signifik*,
    compar*, vergleich*, interpret*, evolu*, entwicklung, growth, wachstum, croissance, crecimiento,
    rückgang, decline, baisse, caída, standard deviation, varianz, regression, p value, seasonal*, saison*,
    forecast*, prognos*, stand out, auffäll*, 分析, 趋势, 相关, 平均, 异常值, 对比, 比较, 增长, 下降, 解读, 显著, 规律, 统计, 结论, 波动,
    which region, welche, best performing, what stands`,
  extract: `
    extract*, extrah*, extrai*, extrae*, entnimm, parse, pull out, pull, list all, liste alle, alle namen,
    all names, tous les, todos los, todas las, names, namen, noms, nombres, dates, emails, email addresses,
    e mail, phone, telefonnummer*, adresse*, address*, entities, entität*, entité*, entidades, fields,
    felder, champs, campos, field, key value, als json, as json, en json, to json, json, valid json, schema,
    xml, als csv, as csv, en csv, into a, 提取, 抽取, 找出, 列出, 识别, 字段, 转成, 转换, 整理成, 提取出, 抓取, 摘出, 输出json, invoice,
    rechnung, facture, factura, 发票, 简历, receipt, normaliz*, heraus, zieh, hol, relève, saca, sácame,
    identif*`,
  classify: `
    classif*, klassifi*, clasif*, categor*, kategori*, catégor*, label, sentiment, stimmung, positive,
    negative, positiv, negativ, neutral, positif, négatif, positivo, negativo, spam, tag, ordne, einordnen,
    分类, 归类, 情感, 正面, 负面, 中性, 标签, intent, one of, eine der, assign, zuordn*, urgent, priorit*`,
  plan: `
    plan, plans, planning, plane, planen, planung, planific*, planea*, roadmap, fahrplan, itinerary,
    itinéraire, itinerario, reiseplan, schedule, zeitplan, milestone*, meilenstein*, jalons, hitos,
    migration*, migrat*, migrier*, migra*, umzug, déménage*, mudanza, projekt*, project, projet, proyecto,
    strategy, strategie, stratégie, estrategia, rollout, launch, lancement, lanzamiento, phases, phasen,
    étapes, etapas, pasos, schritte, steps, week by, trip, reise, voyage, viaje, rundreise, 计划, 规划, 方案, 行程,
    步骤, 路线图, 迁移, 攻略, 安排, 阶段, 里程碑, 上线, checklist, checkliste, organiz*, organis*, timeline, budget`,
  sequence: `
    first, then, afterwards, finally, after that, zuerst, dann, danach, anschließend, zum schluss,
    schließlich, d abord, ensuite, puis, enfin, primero, luego, después, finalmente, por último, 首先, 然后, 接着,
    最后, 之后, 第一步, 先, 再, step by, schritt für, étape par, paso a, 一步一步, 逐步, once done, und dann, and then, et
    puis, y luego, y después, 完成后, each of, one by`,
  search: `
    search, google, look up, lookup, find out, such, suche, suchen, recherchier*, recherche*, cherche*,
    chercher, busca*, search for, nachschau*, schau nach, googel*, web, internet, online, website, im netz,
    sur internet, en internet, 搜索, 搜一下, 查一下, 查查, 查找, 网上, 上网, 搜搜, 帮我查, 百度, 链接, link, source, sources,
    quellen, fuentes, opening hours, öffnungszeiten, geöffnet, horaires, horario*, 营业时间, 开门, 几点开, near me,
    in der nähe, cerca de, près de, 附近, site web, auf der, browse, url, fact check`,
  fresh: `
    latest, current, currently, today, tonight, tomorrow, yesterday, this week, right now, newest, recent,
    news, aktuell*, heute, morgen, gestern, neueste*, neuesten, derzeit, gerade, nachrichten, diese woche,
    actuel*, aujourd hui, demain, hier, dernière*, dernier*, actualités, récent*, cette semaine, hoy, ayer,
    mañana, actual, actualmente, últim*, noticias, ahora mismo, esta semana, reciente*, 最新, 今天, 昨天, 明天, 目前,
    现在, 当前, 新闻, 最近, 今年, 本周, price of, preis, kurs, aktienkurs, stock price, exchange rate, wechselkurs,
    precio, prix, cours, cotización, 价格, 股价, 汇率, 多少钱, weather, wetter, météo, clima, tiempo hace, 天气, score,
    spielstand, resultado, won, gewonnen, 比分, 2025, 2026, 2027, release, released, version, erschienen,
    sorti, salió, 发布, 版本, 上映, election, wahl, élection, elecciones, verspätung, streik, grève, huelga,
    bitcoin, aktie, flight`,
  device: `
    light, lights, lamp, licht, lampe, lampen, lumière, lumières, luz, luces, lámpara, thermostat, heating,
    heizung, chauffage, calefacción, temperature, temperatur, degrees, grad, degrés, grados, turn on, turn
    off, switch on, switch off, schalte, mach das, mach die, einschalten, ausschalten, dreh, allume*,
    éteins, éteindre, enciende*, apaga*, prende, play, spiel, musik, music, musique, música, playlist,
    volume, lautstärke, leiser, lauter, lock, door, rolladen, rollladen, jalousie, volets, persianas,
    staubsauger, vacuum, aspirateur, aspiradora, wohnzimmer, living room, kitchen, küche, salon, cuisine,
    salón, cocina, bedroom, schlafzimmer, chambre, dormitorio, 打开, 关掉, 关闭, 开灯, 关灯, 调到, 空调, 播放, 音量, 客厅, 卧室,
    灯, 窗帘, 扫地机, 度, dim, brightness, alarm, garage, kaffeemaschine`,
  office: `
    calendar, kalender, calendrier, calendario, agenda, appointment, termin, rendez vous, cita, reunión,
    réunion, meeting, remind, reminder, erinner*, rappel*, recuérda*, recordatorio, timer, wecker, stell
    einen, alarm, réveil, alarma, temporizador, send, sende, schick, schicke, envoie*, envoyer, envía*,
    manda, mándale, enviar, text mom, message to, nachricht an, book, buche, reserv*, réserv*, order,
    bestell*, commande, pide, pedir, ticket, ticket for, cancel, storniere, annule, cancela, create,
    erstelle, crée, crea, lege, anlegen, add to, todo, to do, einkaufsliste, shopping list, liste de, lista
    de, call, ruf, appelle, llama, slack, jira, trello, crm, invoice, überweis*, transfer, vire, transfiere,
    日历, 日程, 提醒, 会议, 预约, 发送, 发给, 发邮件, 预订, 订, 下单, 取消, 闹钟, 定时, 打电话, 创建, 待办, 购物清单, 转账, 工单, set a, mark, status`,
  file: `
    file, files, datei, dateien, fichier*, archivo*, fichero*, folder, ordner, dossier, carpeta, directory,
    verzeichnis, commit, branch, push, rename, umbenenn*, renomme*, delete, lösch*, supprim*, borra*,
    elimina*, move, verschieb*, déplace*, mueve, upload, download, 文件, 文件夹, 目录, 提交, 删除, 重命名, 上传, 下载, server,
    ssh, database`,
  calculate: `
    calculat*, calcul*, berechn*, rechne*, ausrechnen, wie viel, wieviel, wie viele, how many, how much,
    combien, cuánto, cuánta, cuántos, cuántas, solve, löse, lösen, résou*, resuelv*, resolv*, compute,
    evaluate, determine, bestimme, détermin*, determin*, simplif*, vereinfach*, factor*, faktoris*, sum of,
    计算, 求, 解方程, 多少, 算一下, 算算, 等于, 求解, 几个, 化简, 因式分解`,
  prove: `
    prove, proof, beweis*, zeige dass, zeige, démontr*, prouv*, demuestr*, demostr*, derive, leite her,
    herleit*, dérive, deriva, show that, induction, induktion, récurrence, inducción, theorem, satz,
    théorème, teorema, lemma, 证明, 推导, 定理, 归纳法`,
  mathNoun: `
    equation*, gleichung*, équation*, ecuaci*, integral*, intégrale, derivative, ableitung*, dérivée,
    derivada, matrix, matrices, matriz, matrice, determinant*, eigenvalue*, eigenwert*, probabil*,
    wahrscheinlichkeit*, polynom*, triangle, dreieck*, triángulo, circle, kreis, cercle, círculo, radius,
    area, fläche*, aire, área, volumen, volume of, angle, winkel, ángulo, percent, prozent, pour cent, por
    ciento, interest, zinsen, intérêt*, interés, fraction, bruch, fracción, prime, primzahl*, premier,
    primo, modulo, mod, logarit*, sqrt, wurzel, racine, raíz, square root, limit, grenzwert, limite, límite,
    series, reihe, vector, vektor*, vecteur, km h, kmh, speed, geschwindigkeit, vitesse, velocidad,
    divisible, teilbar, ggt, gcd, dice, würfel, dés, dados, sequence of, folge, combinations, permutation*,
    gerade, parabel, function f, 方程, 积分, 导数, 矩阵, 概率, 三角形, 圆, 面积, 体积, 函数f, 质数, 素数, 百分之, 利息, 根号, 极限, 数列, 向量,
    速度, 平方, 特征值, 多项式, 角度, 鸡兔, 余数, 期望`,
  write: `
    write, writing, schreib, schreibe, schreiben, verfass*, formulier*, écri*, écris, rédig*, escrib*,
    redact*, compose, draft, entwirf, entwurf, brouillon, borrador, 写, 写一封, 写一篇, 写首, 写一首, 起草, 撰写, 草拟, 写段,
    帮我写, 拟, 编一个, come up, denk dir, imagine, inventa, invente, create a, name for`,
  genre: `
    poem, gedicht*, poème, poema, haiku, sonnet, limerick, story, geschichte, kurzgeschichte, histoire,
    conte, cuento, historia, märchen, letter, brief, lettre, carta, email, e mail, mail, courriel, correo,
    essay, aufsatz, dissertation, ensayo, blog, blogpost, article, artikel, artículo, speech, rede,
    discours, discurso, slogan, slogans, tagline, claim, advertisement, anzeige, werbetext, annonce,
    anuncio, ad copy, newsletter, caption, tweet, post, linkedin, instagram, cover letter, bewerbung*,
    anschreiben, lettre de, carta de, cv, lebenslauf, produktbeschreibung, product description, description,
    descripción, einladung, invitation, invitación, toast, song, lied, chanson, canción, lyrics, songtext,
    screenplay, drehbuch, scénario, guion, chapter, kapitel, chapitre, capítulo, novel, roman, novela,
    review of, dankesrede, kündigung, beschwerde*, réclamation, queja, reclamación, apology, entschuldig*,
    excuses, disculpa, grußkarte, glückwunsch*, trauerrede, 诗, 一首, 故事, 小说, 邮件, 作文, 文案, 广告, 演讲稿, 求职信, 推荐信,
    辞职信, 标题, 朋友圈, 小红书, 歌词, 剧本, 祝福, 请柬, 情书, 公众号, 简介, 检讨, 通知, press release, pressemitteilung, communiqué`,
  improve: `
    rewrite, reword, rephrase, umschreib*, umformulier*, reformul*, reescrib*, proofread, korrekturles*,
    korrigier*, polish, improve, verbesser*, améliore*, mejora*, grammar, grammatik, grammaire, gramática,
    spelling, rechtschreib*, orthograph*, ortograf*, tone, ton, tono, formal, formell, professional,
    professionell, professionnel, profesional, friendlier, freundlicher, höflich*, sound, klingt, flows,
    lektor*, 润色, 修改, 改写, 语气, 校对, 语法, 病句, 通顺, 正式, 措辞, 扩写, 错别字, paraphras*, paraphrase, 口吻, kürzer, knackig*,
    catchy, concise, persuasive`,
  roleplay: `
    act as, pretend, roleplay, role play, rollenspiel*, jeu de, juego de, you are, you re, du bist, tu es,
    eres, 你是, 你现在是, 扮演, 你来当, 假装, 假设你是, spiel, spiele, spielen, joue, jouons, juega, juguemos, let s, lass
    uns, stay in, in character, bleib in, character, charakter, personnage, personaje, persona, 角色, 人设,
    stell dir, imagine you, imagine que, imagina que, tu so, fais comme, haz de, finge, be my, sei mein,
    sois, sé mi, dungeon master, game master, spielleiter, maître du, text adventure, textadventure,
    aventure textuelle, 你演, 我演, 我扮, 冒险, 代入, 沉浸, 接龙, 成语接龙, 猜谜, 游戏, 20 questions, riddle, simul*, interview
    me, npc, speak as, talk like, sprich wie, parle comme, habla como, antworte als, answer as, réponds
    comme, responde como`,
  persona: `
    pirate, pirat, pirata, wizard, zauberer, sorcier, mago, knight, ritter, chevalier, caballero, dragon,
    drache, dragón, tavern, taverne, taberna, detective, detektiv, détective, vampire, vampir, vampiro,
    captain, kapitän, capitaine, capitán, king, könig, roi, rey, queen, königin, reine, reina, elf, orc,
    zombie, alien, robot, roboter, ghost, geist, fantôme, fantasma, sherlock, shakespeare, einstein,
    cleopatra, napoleon, medieval, mittelalter*, princess, prinzessin, prinz, prince, butler, witch, hexe,
    bruja, sorcière, spaceship, raumschiff, vaisseau, nave, villain, batman, gandalf, yoda, goblin,
    girlfriend, boyfriend, freundin, interviewer, shopkeeper, wirt, 海盗, 巫师, 骑士, 公主, 皇帝, 侦探, 吸血鬼, 将军, 魔王, 精灵,
    师父, 孙悟空, 李白, 诸葛亮, 机器人, 客栈, 江湖, 修仙, 主角, 面试官, 猫娘, 女友, 男友, 大侠, 陛下`,
  picture: `
    image, images, photo, photos, picture, pic, screenshot*, bild, bilder, foto, fotos, abgebildet, imagen,
    imágenes, captura, capture d, cette photo, diagram, diagramm, diagramme, diagrama, chart, graph, plakat,
    shown, 图, 图片, 照片, 截图, 这张, 图中, 图里, 图上, 画面, see here, hier zu, drawing, zeichnung, dessin, dibujo, scan,
    gescannt, painting, gemälde`,
  question: `
    what, why, how, when, who, where, which, was, wie, wer, wann, wo, wieso, weshalb, que, quoi, quel,
    quelle, pourquoi, comment, quand, qui, où, qué, cómo, cuándo, quién, dónde, cuál, por qué, 什么, 怎么, 如何,
    谁, 哪, 为何, 吗, 呢, 是不是, is it, can i, kann man, darf, peut on, est ce, se puede, does, do`,
  advice: `
    should i, soll ich, sollte, dois je, debería, recommend*, empfehl*, recommand*, recomiend*, recomend*,
    tips, tipps, conseil*, consejo*, advice, rat, help me, worth it, lohnt, vaut, vale la, better, besser,
    mieux, mejor, 建议, 推荐, 应该, 好吗, 值得, 怎么办, 哪个好, gesund, healthy, difference between, unterschied*,
    différence*, diferencia*, 区别, 不同, mean, bedeutet, signifie, significa, 意思, how to, how do, wie kann, wie
    macht, comment faire, cómo se, history, geschichte der, histoire de, historia de, 历史, 原理, benefits,
    vorteile, avantages, ventajas, 好处, capital of, hauptstadt, who was, wer war`,
  thing: `
    the following, folgenden, folgende, folgender, suivant*, siguiente*, 以下, 下面, 如下, this text, diesen text,
    ce texte, este texto, 这段, 这篇, this article, diesen artikel, cet article, este artículo, 文章, 文字, 对话, this
    email, transcript, protokoll, transkript, compte rendu, acta, chat, conversation, gespräch,
    conversación, thread, paper, abstract, report, bericht, rapport, informe, 会议记录, 聊天记录, 报告, 论文, text,
    texte, texto, paragraph, absatz, paragraphe, párrafo, sentence, satz, phrase, frase, 句子, 这句, 段落, below,
    unten, ci dessous, a continuación`,
} as const;

export const cueGroups: readonly string[] = Object.keys(listed);

/** The cues of each group, in the order of the groups. */
export const cueWords: readonly (readonly string[])[] = Object.values(listed).map((cues) =>
  cues.split(",").map((cue) => cue.trim())
);
