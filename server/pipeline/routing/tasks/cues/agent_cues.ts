/** Cues of tasks that look outside or act there. */

export const agentCues = {
  plan: `
    plan, plans, planning, plane, planen, planung, planific*, planea*, roadmap, fahrplan, itinerary,
    itinéraire, itinerario, reiseplan, schedule, zeitplan, milestone*, meilenstein*, jalons, hitos,
    migration*, migrat*, migrier*, migra*, umzug, déménage*, mudanza, projekt*, project, projet, proyecto,
    strategy, strategie, stratégie, estrategia, rollout, launch, lancement, lanzamiento, phases, phasen,
    étapes, etapas, pasos, schritte, steps, week by, trip, reise, voyage, viaje, rundreise, 计划, 规划, 方案, 行程,
    步骤, 路线图, 迁移, 攻略, 安排, 阶段, 里程碑, 上线, checklist, checkliste, organiz*, organis*, timeline, order,
    reihenfolge, ordre, orden, 顺序, 先做什么, where to start, where do, womit, par où, por dónde, begin with,
    dependencies, abhängigkeiten, dépendances, dependencias, 依赖, risks, risiken, risques, riesgos, weeks,
    wochen, semaines, semanas, 周, months, monate, monaten, mois, meses, 个月, days, tage, jours, días, 天,
    critical path, kritischer pfad, chemin critique, camino crítico, 关键路径, training plan, trainingsplan,
    lernplan, study schedule, stundenplan, démarches, trámites, formalités, 手续, prepare, vorbereitung,
    vorbereiten, préparation, préparer, preparar, 筹备, 筹办, 备考, wedding, hochzeit, mariage, boda, 婚礼,
    renovat*, renovier*, rénov*, reforma, 装修, relocat*, étape, phased, in phasen, etappen, por etapas, par
    étapes, stepwise, stages, rollback, 回滚, cutover, go live, 阶段性, 分阶段, 推进, meal plan, essensplan, menus,
    menú semanal, 减脂餐, garden, organise, organise moi, organízame, 组织, 怎么安排, 列出任务, einführung, einführen,
    implantamos, introduire, umstieg, umstellen`,
  sequence: `
    first, then, afterwards, finally, after that, zuerst, dann, danach, anschließend, zum schluss,
    schließlich, d abord, ensuite, puis, enfin, primero, luego, después, finalmente, por último, 首先, 然后, 接着,
    最后, 之后, 第一步, 先, 再, step by, schritt für, étape par, paso a, 一步一步, 逐步, once done, und dann, and then, et
    puis, y luego, y después, 完成后, each of, one by, after each, nach jedem, après chaque, tras cada, 每步,
    每一步, pas à, one after, der reihe, for each, für jede*, pour chaque, por cada, 逐个, 一个个, am ende, at the
    end, à la fin, al final, when finished, 完成之后, sobald`,
  search: `
    search, google, look up, lookup, find out, such, suche, suchen, recherchier*, recherche*, cherche*,
    chercher, busca*, search for, nachschau*, schau nach, googel*, web, internet, online, website, im netz,
    sur internet, en internet, 搜索, 搜一下, 查一下, 查查, 查找, 网上, 上网, 搜搜, 帮我查, 百度, 链接, link, source, sources,
    quellen, fuentes, opening hours, öffnungszeiten, geöffnet, horaires, horario*, 营业时间, 开门, 几点开, near me,
    in der nähe, cerca de, près de, 附近, site web, auf der, browse, url, fact check, tickets, karten,
    entradas, places, 票, reviews of, erfahrungsberichte*, retours d, experiencias, 体验, papers, studien,
    études, estudios, 论文, official, offiziell*, officiel*, oficial, 官网, 网址, find me, finde, find three,
    trouve, trouve moi, encuentra, encuéntrame, 找几, 找三, 找找, cheapest, billigst*, günstig*, pas cher, moins
    cher, barat*, 便宜, flights, flüge, vols, vuelos, 航班, timetable, recherches, research, quellenangabe*,
    references, références, referencias, 来源`,
  fresh: `
    latest, current, currently, today, tonight, tomorrow, yesterday, this week, right now, newest, recent,
    news, aktuell*, heute, morgen, gestern, neueste*, neuesten, derzeit, gerade, nachrichten, diese woche,
    actuel*, aujourd hui, demain, hier, dernière*, dernier*, actualités, récent*, cette semaine, hoy, ayer,
    mañana, actualmente, últim*, noticias, ahora mismo, esta semana, reciente*, 最新, 今天, 昨天, 明天, 目前, 现在, 当前,
    新闻, 最近, 今年, 本周, price of, preis, kurs, aktienkurs, stock price, exchange rate, wechselkurs, precio,
    prix, cours, cotización, 价格, 股价, 汇率, 多少钱, weather, wetter, météo, clima, tiempo hace, 天气, score,
    spielstand, resultado, won, gewonnen, 比分, 2025, 2026, 2027, release, released, version, erschienen,
    sorti, salió, 发布, 版本, 上映, election, wahl, élection, elecciones, verspätung, streik, grève, huelga,
    bitcoin, aktie, flight, still, noch, schon, already, yet, déjà, encore, todavía, 了吗, 还没, next, nächste*,
    prochain*, próxim*, 下一场, 下一次, match, spielt, joue, juega, game, 比赛, concert, konzert, concierto, 演唱会,
    playing, im kino, au cinéma, cartelera, à l affiche, en cartel, gesperrt, closed, geschlossen, fermé,
    cerrado, 堵, stau, bouchons, atasco, traffic, verkehr, trafic, 晚点, delays, outage, störung, gestört, en
    panne, caído, down, 崩了, dax, dow, nasdaq, euro heute, zins, leitzins, rates, rate, tasa, taux, 利率,
    season, staffel, saison, temporada, updates, neuigkeiten, neues, du nouveau, novedades, 进展, 消息, ceo,
    trainer, president, minister, premier ministre, presidente, 现任, kostet, coûte, cuesta, offer, angebot,
    promo, oferta, visa, visum, 签证, ferry, train, zug, bahn, strike, 台风, storm, sturm, tempête, earthquake,
    erdbeben, séisme, terremoto, 地震, winner, nobel*, nobelpreis, tonight s, weekend, wochenende, week end,
    周末, this month, diesen monat, ce mois, este mes`,
  device: `
    light, lights, lamp, licht, lampe, lampen, lumière, lumières, luz, luces, lámpara, thermostat, heating,
    heizung, chauffage, calefacción, temperature, temperatur, degrees, grad, degrés, grados, turn on, turn
    off, switch on, switch off, schalte, mach das, mach die, einschalten, ausschalten, dreh, allume*,
    éteins, éteindre, enciende*, apaga*, prende, play, spiel, musik, music, musique, música, playlist,
    volume, lautstärke, leiser, lauter, lock, door, rolladen, rollladen, jalousie, volets, persianas,
    staubsauger, vacuum, aspirateur, aspiradora, wohnzimmer, living room, kitchen, küche, salon, cuisine,
    salón, cocina, bedroom, schlafzimmer, chambre, dormitorio, 打开, 关掉, 关闭, 开灯, 关灯, 调到, 空调, 播放, 音量, 客厅, 卧室,
    灯, 窗帘, 扫地机, 度, dim, brightness, alarm, garage, kaffeemaschine, fan, ventilator, ventilateur, ventilador,
    washing machine, waschmaschine, lave linge, lavadora, oven, ofen, four, horno, tv, fernseher, télé,
    tele, blinds, heater, scene, szene, filmabend, movie time, 风扇, 洗衣机, 电视, 暂停, 开始扫, 卷帘, 模式, unlock, car,
    pause, skip, song, lied, chanson, canción, 歌, sube, baja, monte, hoch, runter, rauf, leise`,
  office: `
    calendar, kalender, calendrier, calendario, agenda, appointment, termin, rendez vous, cita, reunión,
    réunion, meeting, remind, reminder, erinner*, rappel*, recuérda*, recordatorio, timer, wecker, stell
    einen, réveil, alarma, temporizador, send, sende, schick, schicke, envoie*, envoyer, envía*, manda,
    mándale, enviar, text mom, message to, nachricht an, book, buche, reserv*, réserv*, bestell*, commande,
    pide, pedir, ticket, ticket for, cancel, storniere, annule, cancela, create, erstelle, crée, crea, lege,
    anlegen, add to, todo, to do, einkaufsliste, shopping list, liste de, lista     de, call, ruf, appelle,
    llama, slack, jira, trello, crm, überweis*, transfer, vire, transfiere, 日历, 日程, 提醒, 会议, 预约, 发送, 发给, 发邮件,
    预订, 订, 下单, 取消, 闹钟, 定时, 打电话, 创建, 待办, 购物清单, 转账, 工单, set a, mark, status, minuteur, taxi, cab, uber, ride,
    叫辆车, 打车, pizza, 外卖, restart, neustart*, redémarre*, reinicia*, 重启服务, genehmig*, valide, aprueba, 批准,
    account, konto, compte, cuenta, 账户, post in, poste, publica, 群里发, 通知一下, bill, spesen, expense*,
    dépense*, gasto*, 记一笔, refund*, erstatte*, rembourse*, order status, bestellung, pedido, 订单, inventory,
    lagerbestand, stock, inventario, 库存, wake me, weck mich, réveille*, despiértame, note, notiere, trag,
    eintrag*, anota, apunta, 记一下, table for, tisch für, une table, mesa para, 位子, hotel, zimmer, habitación,
    房间, subscribe, unsubscribe, abo, abonnement, issue, incident, incidencia, 提个, weise, file an, open a,
    rename, mail an, text, sms, bizum, 转给`,
  file: `
    file, files, datei, dateien, fichier*, archivo*, fichero*, folder, ordner, dossier, carpeta, directory,
    verzeichnis, commit, branch, push, umbenenn*, renomme*, delete, lösch*, supprim*, borra*, elimina*,
    move, verschieb*, déplace*, mueve, upload, download, 文件, 文件夹, 目录, 提交, 删除, 重命名, 上传, 下载, server, ssh`,
} as const;
