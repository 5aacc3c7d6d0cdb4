"""Makes the documents of python-docx, openpyxl, XlsxWriter and python-pptx. Argument: the folder to write into."""

import datetime
import sys
from pathlib import Path

import docx
import openpyxl
import xlsxwriter
from docx.oxml.ns import qn
from docx.oxml import OxmlElement
from openpyxl.styles import Font
from pptx import Presentation
from pptx.util import Inches

out = Path(sys.argv[1])


def word():
    document = docx.Document()
    document.core_properties.title = "Harbour report"
    document.add_heading("Harbour report", 0)
    document.add_heading("Tides", 1)
    paragraph = document.add_paragraph("The water rises ")
    paragraph.add_run("twice").bold = True
    paragraph.add_run(" a day & falls <again>.")
    hidden = document.add_paragraph("Seen. ").add_run("Never to be seen.")
    hidden.font.hidden = True
    for text in ("ropes", "buoys"):
        document.add_paragraph(text, style="List Bullet")
    for text in ("cast off", "set sail"):
        document.add_paragraph(text, style="List Number")
    document.add_heading("Ships", 2)
    table = document.add_table(rows=1, cols=3)
    for cell, text in zip(table.rows[0].cells, ("Ship", "Length", "Port")):
        cell.text = text
    for row in (("Alba", "12 m", "Oslo"), ("Boreas", "30 m", "Kiel | Lübeck")):
        for cell, text in zip(table.add_row().cells, row):
            cell.text = text
    merged = table.add_row().cells
    merged[0].merge(merged[1]).text = "both columns"
    merged[2].text = "alone"
    right = document.add_paragraph("שלום עולם, הנמל פתוח")
    right.paragraph_format.element.get_or_add_pPr().append(OxmlElement("w:bidi"))
    document.add_paragraph("مرحبا بالعالم 2026")
    section = document.add_section(docx.enum.section.WD_SECTION.CONTINUOUS)
    columns = section._sectPr.xpath("./w:cols")[0]
    columns.set(qn("w:num"), "2")
    document.add_paragraph("Left column begins here. " * 3)
    document.add_paragraph("Right column ends here.")
    document.save(out / "python-docx.docx")


ROWS = [
    ("whole number", 1234567, "General"),
    ("long number", 1234567890123, "0"),
    ("fraction", 0.1 + 0.2, "General"),
    ("two places", 1234.5, "#,##0.00"),
    ("euro", 1234.5, '#,##0.00\\ "€"'),
    ("dollar", -99.9, '"$"#,##0.00;[Red]\\-"$"#,##0.00'),
    ("accounting", 1200, '_-"£"* #,##0.00_-;\\-"£"* #,##0.00_-;_-"£"* "-"??_-;_-@_-'),
    ("percent", 0.1234, "0.00%"),
    ("whole percent", 0.5, "0%"),
    ("date", datetime.date(2026, 3, 9), "yyyy-mm-dd"),
    ("day in words", datetime.date(2026, 3, 9), "d mmmm yyyy"),
    ("date and time", datetime.datetime(2026, 3, 9, 17, 5, 30), "dd/mm/yyyy hh:mm:ss"),
    ("time", datetime.time(17, 5), "h:mm AM/PM"),
    ("hours", datetime.timedelta(hours=36, minutes=15), "[h]:mm:ss"),
    ("scientific", 0.00012345, "0.00E+00"),
    ("leading zeros", 42, "00000"),
    ("fraction of eight", 1.5, "# ?/?"),
    ("thousands", 1234567, '#,##0,"k"'),
    ("words for numbers", 0, '0;-0;"none"'),
    ("true", True, "General"),
    ("false", False, "General"),
    ("text", "a | b", "General"),
    ("text like a number", "007", "@"),
    ("negative in brackets", -5, "0_);(0)"),
]


def sheet():
    book = openpyxl.Workbook()
    first = book.active
    first.title = "Shown"
    first.append(["What", "Value"])
    for name, value, form in ROWS:
        first.append([name, value])
        first.cell(first.max_row, 2).number_format = form
    first.append(["error", "=1/0"])
    first.append(["sum", "=SUM(B2,B4)"])
    first.cell(first.max_row, 2).number_format = "0.0"
    second = book.create_sheet("Merged")
    second["A1"] = "over two columns"
    second.merge_cells("A1:B1")
    second["C1"] = "third"
    second["A2"] = "down"
    second.merge_cells("A2:A3")
    second["B2"], second["B3"], second["C3"] = 1, 2, 3
    second["E5"] = "שלום"
    second["B2"].font = Font(bold=True)
    hidden = book.create_sheet("Secret")
    hidden["A1"] = "Never to be seen."
    hidden.sheet_state = "hidden"
    empty = book.create_sheet("Empty")
    assert empty is not None
    book.save(out / "openpyxl.xlsx")


def inline_sheet():
    book = xlsxwriter.Workbook(str(out / "xlsxwriter.xlsx"), {"constant_memory": True})
    page = book.add_worksheet("Inline & more")
    money = book.add_format({"num_format": "[$€-407] #,##0.00"})
    day = book.add_format({"num_format": 14})
    page.write_row(0, 0, ["Name", "Price", "Day", "Formula"])
    page.write_string(1, 0, " a text <inline> ")
    page.write_number(1, 1, 1234.5, money)
    page.write_datetime(1, 2, datetime.datetime(2026, 3, 9), day)
    page.write_formula(1, 3, "=B2*2", None, 2469)
    page.write_string(2, 0, "two\nlines")
    page.write_formula(2, 3, '="a"&"b"', None, "ab")
    book.close()


def slides():
    show = Presentation()
    first = show.slides.add_slide(show.slide_layouts[0])
    first.shapes.title.text = "Harbour plans"
    first.placeholders[1].text = "for the year"
    second = show.slides.add_slide(show.slide_layouts[1])
    second.shapes.title.text = "Steps"
    body = second.placeholders[1].text_frame
    body.text = "Dredge the basin"
    inner = body.add_paragraph()
    inner.text, inner.level = "ask for permits", 1
    second.notes_slide.notes_text_frame.text = "Say thanks to the pilots."
    third = show.slides.add_slide(show.slide_layouts[5])
    third.shapes.title.text = "Costs"
    table = third.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(6), Inches(1)).table
    for at, text in enumerate(("Work", "Cost", "Dredging", "1,200 €")):
        table.cell(at // 2, at % 2).text = text
    group = third.shapes.add_group_shape()
    group.shapes.add_textbox(Inches(1), Inches(4), Inches(2), Inches(1)).text_frame.text = "in a group"
    fourth = show.slides.add_slide(show.slide_layouts[5])
    fourth.shapes.title.text = "Never to be seen."
    fourth._element.set("show", "0")
    show.save(out / "python-pptx.pptx")


word()
sheet()
inline_sheet()
slides()
