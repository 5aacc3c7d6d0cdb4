/** Cues of tasks with code and databases. */

export const codeCues = {
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
    en vez, 而不是, suddenly, plötzlich, ne s, 没有输出, 白屏, doesnt, does nothing, nothing happens, no effect,
    keine wirkung, sin efecto, aucun effet, ewig, endlos, infinite*, unendlich*, boucle infinie, en boucle,
    bucle infinito, 停不下来, 死循环, 隔一个, 找不到, 连不上, 打不了, 跑不起来, 起不来, 启动不了, 启动失败, 不显示, 不更新, 匹配不到, 不出来, 闪退, 重启, 卡死,
    乱码, 被占用, 哪里错了, 写错, 报了, 老是, 一直, saute, überspringt, se salta, skips, skipping, disappears, verschwindet,
    verschoben, décal*, off by, peta, peta al, se cae, se cierra, se ferme, schließt sich, keeps, only when,
    sometimes, manchmal, parfois, a veces, intermittent*, redirect loop, refused, denied, rejected,
    abgelehnt, refus*, rechaz*, conflict, locally, lokal, en local, 本地正常, in production, en producción, 明明,
    leer, empty, vide, vacío, vacías, vides`,
  report: `
    expected result, actual result, expected behavior, expected behaviour, actual behavior, actual behaviour,
    current behavior, current behaviour, what happens, to reproduce, steps to, reproduc*, reproduz*, repro,
    workaround, root cause, regression, action performed, version number, platforms, erwartet, erwartetes,
    tatsächlich*, résultat attendu, résultat obtenu, comportement attendu, resultado esperado, resultado
    real, pasos para, 复现, 期望结果, 实际结果, 预期, staging, proposal, attached`,
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
    循环, 数组, 单元测试, 中间件, 变量, 爬虫, 前端, 后端, 装饰器, 正则, 小程序, 链表, 二叉树, 字符串, 线程, snake, tic tac toe, hangman in,
    formula, formel, formule, fórmula, makro, macro, erweiterung, extensión, add on, bot, template, vorlage,
    modèle, plantilla, latex, sidebar, seitenleiste, barra lateral, barre latérale, search box, pagination,
    paginación, dropdown, menú, layout, schnittstelle, interfaz, klassen, unit, one liner, einzeiler,
    sketch, unix, workflow, config, konfiguration, configuration, configuración, 模板, 公式, 宏, 油猴, 侧边栏, 页面, 网页,
    贪吃蛇, 游戏代码, 机器人程序, 配置, 登录页, 爬取, 单测, 接口文档, 插件, 命令行, 测试用例`,
  codeVerb: `
    implement*, implementier*, implémen*, programmier*, programm*, programar, coder, codea, refactor*,
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
    verbesserungs*, améliorations, mejoras, 改进, risky, riskant, riesgo*, risqu*, 风险, clean, smells, approve,
    harsh, nitpick, honest, pros and, judge, sound, purpose of, wozu, wofür, à quoi sert, para qué sirve,
    干什么用, 有什么用, 起什么作用, 过一遍, 挑毛病, 合理吗, 地道, 点评, 质量, 改进空间, maintenance, zu viel, trop, bloated, quality,
    qualität, qualité, calidad, accessib*, barrierefrei*, accesib*, 无障碍, big o, laufzeit, speicherbedarf,
    temporal, temporelle`,
  sql: `
    sql, postgres*, mysql, sqlite, mariadb, oracle, mssql, bigquery, snowflake, redshift, clickhouse,
    mongodb, query, queries, abfrage*, requête*, consulta*, select, inner join, left join, join, joins,
    group by, order by, create table, varchar, primary key, foreign key, index, where, having, upsert, cte,
    window function, fensterfunktion*, database, datenbank*, base de, bases de, tabelle, tabellen, schema,
    jsonb, trigger, stored procedure, row number, partition by, insert into, update, delete from, alter
    table, foreign, 查询, 数据库, 建表, 表结构, 索引, 外键, 主键, 字段, 联表, 存储过程, 触发器, 连表, 窗口函数, 慢查询, prisma, dbt, explain
    analyze, tsql, plsql, fremdschlüssel, normalform, clave foránea, clé étrangère, ddl, cascade, aggregat*,
    agregación, ntile, cassandra, hive, exists, union, union all, nulls, execution plan, ausführungsplan,
    plan de ejecución, 执行计划, prozedur, procedimiento, procédure, n m, many to many, multi tenant,
    mandantenfähig*, partition key, 分区, 去重sql, 行转列, 每个部门, 多对多, 建模, tablas, tables, table, tabla`,
} as const;
