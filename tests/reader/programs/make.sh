#!/bin/sh
# Makes every document of made/ anew. Needs the programs that README.md names.
set -eu
cd "$(dirname "$0")"
mkdir -p made
python3 make_office.py made
python3 make_pdf.py made
pandoc source.md -o made/pandoc.docx
pandoc source.md -o made/pandoc.odt
pandoc -s source.md -o made/pandoc.html
pandoc source.md -o made/pandoc.pptx
profile="$(mktemp -d)"
office() { soffice "-env:UserInstallation=file://$profile" --headless --convert-to "$1" --outdir "$profile" "made/$2" >/dev/null 2>&1; }
for pair in python-docx.docx:odt python-docx.docx:docx python-docx.docx:pdf openpyxl.xlsx:xlsx openpyxl.xlsx:ods \
  python-pptx.pptx:pptx python-pptx.pptx:odp; do
  office "${pair#*:}" "${pair%:*}"
  name="${pair%%.*}"
  mv "$profile/$name.${pair#*:}" "made/libreoffice.${pair#*:}"
done
# As a person sees the first sheet: fields by semicolons, UTF-8, formatted as shown.
office 'csv:Text - txt - csv (StarCalc):59,34,76,1,,1033,true,true' openpyxl.xlsx
mv "$profile/openpyxl.csv" made/libreoffice.csv
for pair in python-docx.docx:fodt openpyxl.xlsx:fods python-pptx.pptx:fodp python-docx.docx:rtf; do
  office "${pair#*:}" "${pair%:*}"
  name="${pair%%.*}"
  mv "$profile/$name.${pair#*:}" "made/libreoffice.${pair#*:}"
done
office 'doc:MS Word 97' python-docx.docx
mv "$profile/python-docx.doc" made/old.doc
/usr/bin/python3 make_locked.py "$profile" made
rm -r "$profile"
chromium --headless --no-sandbox --disable-gpu --no-pdf-header-footer --print-to-pdf=made/chromium.pdf page.html 2>/dev/null
