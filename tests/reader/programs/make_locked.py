"""Lets LibreOffice save a document with a password. Arguments: a folder for its profile, and the folder to write into."""

import subprocess
import sys
import time
from pathlib import Path

import uno
from com.sun.star.beans import PropertyValue

profile, out = sys.argv[1], Path(sys.argv[2]).resolve()
pipe = f"pipe,name=locked{time.time_ns()};urp;"
office = subprocess.Popen(
    ["soffice", f"-env:UserInstallation=file://{profile}", "--headless", f"--accept={pipe}"],
    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
)
resolver = uno.getComponentContext().ServiceManager.createInstance("com.sun.star.bridge.UnoUrlResolver")
context = None
while context is None:
    try:
        context = resolver.resolve(f"uno:{pipe}StarOffice.ComponentContext")
    except Exception:
        time.sleep(0.5)
desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
document = desktop.loadComponentFromURL(f"file://{out}/python-docx.docx", "_blank", 0, (PropertyValue("Hidden", 0, True, 0),))
document.storeToURL(f"file://{out}/encrypted.odt", (
    PropertyValue("FilterName", 0, "writer8", 0), PropertyValue("Password", 0, "secret", 0),
))
document.close(True)
desktop.terminate()
office.wait(30)
