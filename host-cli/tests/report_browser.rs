//! A report in a browser: nothing on its console, and no wider than a narrow window.
//!
//! `AICPROBE_CHROMIUM` names the program; else `chromium` of the path is used. Without one the test says that it is skipped.

mod common;
mod report_common;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::trees::Folder;
use report_common::{ALL, page_of};

/// How long a browser may take.
const LIMIT: Duration = Duration::from_secs(120);

fn browser() -> Option<String> {
    let named = std::env::var("AICPROBE_CHROMIUM").ok();
    let name = named.unwrap_or_else(|| "chromium".to_owned());
    let asked = Command::new(&name).arg("--version").output();
    if asked.is_ok_and(|out| out.status.success()) {
        return Some(name);
    }
    eprintln!("skipped: {name} does not start; AICPROBE_CHROMIUM names a Chromium");
    None
}

/// Standard output and error of the browser with the page at `path`.
fn shown(browser: &str, folder: &Folder, path: &str, width: u32, dark: bool) -> (String, String) {
    let (out, err) = (folder.file("out", b""), folder.file("err", b""));
    let open = |path: &str| Stdio::from(std::fs::File::create(path).expect("a file"));
    let scheme = u8::from(!dark);
    let mut child = Command::new(browser)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
            "--v=0",
        ])
        .args([
            "--virtual-time-budget=2000",
            "--hide-scrollbars",
            "--dump-dom",
        ])
        .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
        .arg(format!("--user-data-dir={}/profile", folder.path()))
        .arg(format!("--window-size={width},800"))
        .arg(format!("file://{path}"))
        .stdout(open(&out))
        .stderr(open(&err))
        .spawn()
        .expect("it starts");
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child") {
            break status;
        }
        if start.elapsed() > LIMIT {
            // What comes of it does not matter any more.
            let _ = child.kill();
            panic!("the browser took longer than {LIMIT:?}");
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let read = |path: &str| {
        String::from_utf8_lossy(&std::fs::read(Path::new(path)).expect("there")).into_owned()
    };
    assert!(status.success(), "{}", read(&err));
    (read(&out), read(&err))
}

#[test]
fn a_browser_shows_it_without_complaint_in_any_width() {
    needs_firmware!();
    let Some(browser) = browser() else {
        return;
    };
    let folder = Folder::new();
    let page = page_of(&ALL);
    let plain = folder.file("page.html", page.as_bytes());
    for dark in [false, true] {
        let (_, log) = shown(&browser, &folder, &plain, 1200, dark);
        assert!(!log.contains("CONSOLE"), "{log}");
    }
    // The page's own policy lets nothing run: the copy that is measured does without it.
    let (before, after) = page.split_once("<meta http-equiv=").expect("a policy");
    let (_, after) = after.split_once('>').expect("its end");
    // Everything is unfolded: what is folded has no width.
    let script = "<script>for(const d of document.querySelectorAll('details'))d.open=true;\
        parent.postMessage(document.documentElement.scrollWidth+'/'+innerWidth,'*')</script></body>";
    let probe = format!("{before}{}", after.replace("</body>", script));
    folder.file("probe.html", probe.as_bytes());
    for width in [400, 1200] {
        // A window is never narrower than 500 pixels, a frame in it is.
        let frame = format!(
            "<!doctype html><script>onmessage=e=>document.documentElement.dataset.w=e.data</script>\
             <iframe src='probe.html' style='border:0;width:{width}px;height:800px'></iframe>"
        );
        let frame = folder.file("frame.html", frame.as_bytes());
        let (dom, _) = shown(&browser, &folder, &frame, 1400, false);
        let (_, rest) = dom.split_once("data-w=\"").expect("the script ran");
        let measured = rest.split('"').next().expect("a value");
        let (scroll, inner) = measured.split_once('/').expect("two numbers");
        let number = |text: &str| text.parse::<u32>().expect("a number");
        assert_eq!(number(inner), width, "{measured}");
        assert!(number(scroll) <= width, "{measured}");
    }
}
