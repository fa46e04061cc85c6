"""An assignment from the teacher's link to the file that is handed in."""

from playwright.sync_api import expect

from evaluators.run_files.reading import opened
from evaluators.runs.store import Store
from tests.e2e.conftest import LONG, file_to_download, settled


def test_a_link_opens_the_form_filled_in_and_the_run_is_handed_in_as_a_file(
    page, trace_run, new_context, tmp_path
):
    page.goto(f"/trace?run={trace_run.id}")
    settled(page)
    page.get_by_role("button", name="Share", exact=True).click()
    link = page.get_by_text("?assignment=").inner_text()

    student = new_context(accept_downloads=True).new_page()
    student.goto(link)
    expect(student.get_by_role("button", name="Evaluate all 24 samples")).to_be_enabled()
    expect(student.get_by_text("nothing changed yet")).to_be_visible()
    assert "assignment" not in student.url
    settled(student)
    # The same run that was just begun would be shown in the place of a second one.
    student.get_by_text("20 at random", exact=True).click()
    expect(student.get_by_text("Against the assignment: samples all → 20")).to_be_visible()
    settled(student)
    student.get_by_role("button", name="Evaluate 20 samples").click()
    expect(student.get_by_test_id("stMain").get_by_text("20 answers checked")).to_be_visible(
        timeout=LONG
    )
    expect(student.get_by_text("To hand it in: Share, Whole run.")).to_be_visible()
    settled(student)
    student.get_by_role("button", name="Share", exact=True).click()
    file_to_download(student, "Whole run")
    with student.expect_download() as download:
        student.get_by_role("button", name="Download", exact=True).click()
    file = tmp_path / "mine.plumbline"
    download.value.save_as(file)

    handed_in = opened(file.read_bytes(), Store(":memory:"), "local")
    assert handed_in.evaluators == trace_run.evaluators
    assert handed_in.id != trace_run.id
