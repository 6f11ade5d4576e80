"""The report in a real browser, where there is one: it asks for nothing and fits a phone and a desk."""

import html
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from warpwright.record.session import Session
from warpwright.report.html import render_report

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--virtual-time-budget=3000")
PROBE = """<!doctype html><body><pre id="out"></pre>{frames}<script>
onload = () => {{ document.getElementById("out").textContent = [...document.querySelectorAll("iframe")].map(frame => {{
  const page = frame.contentDocument, root = page.documentElement;
  for (const part of page.querySelectorAll("details")) part.open = true;
  const requests = frame.contentWindow.performance.getEntriesByType("resource").length;
  return [frame.width, root.scrollWidth, requests, page.querySelectorAll("details").length].join(" ");
}}).join("\\n"); }};
</script>"""


@pytest.mark.skipif(BROWSER is None, reason="no Chromium or Chrome on this machine")
def test_no_request_leaves_and_nothing_overflows(diagnosed: Session, tmp_path: Path) -> None:
    assert BROWSER is not None
    report = re.sub(r"<meta http-equiv[^>]*>", "", render_report(diagnosed))  # so that the probe may look inside
    frames = "".join(f'<iframe width="{w}" height="900" srcdoc="{html.escape(report)}"></iframe>' for w in (400, 1400))
    probe = tmp_path / "probe.html"
    probe.write_text(PROBE.format(frames=frames), encoding="utf-8")
    command = [BROWSER, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", probe.as_uri()]
    dumped = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    out = re.search(r'<pre id="out">([^<]*)</pre>', dumped)
    assert out is not None
    rows = [tuple(map(int, line.split())) for line in out[1].splitlines()]
    assert [row[0] for row in rows] == [400, 1400]
    for width, content_width, requests, details in rows:
        assert content_width <= width
        assert requests == 0
        assert details == 17  # attempts, versions, other cases of three attempts, changed counters of one
