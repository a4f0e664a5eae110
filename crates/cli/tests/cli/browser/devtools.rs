//! A client of Chromium's remote debugging protocol over a pair of pipes. The browser exits with the tests, however they end.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{PATIENCE, is_working, skipped, spawn};

/// Starts Chromium with the pipes as it expects them, and deletes its profile afterwards.
const START: &str = r#"
profile=$(mktemp -d) || exit
"$@" --user-data-dir="$profile" 3<&0 4>&1 </dev/null >/dev/null 2>&1
rm -rf "$profile"
"#;

const FLAGS: [&str; 14] = [
    "--remote-debugging-pipe",
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-component-update",
    "--disable-renderer-backgrounding",
    "--disable-sync",
    "--hide-scrollbars",
    "about:blank",
];

/// A browser shared by all tests. Each person in a test has a separate browser context.
pub(crate) struct Browser {
    input: Mutex<ChildStdin>,
    heard: Arc<(Mutex<Heard>, Condvar)>,
}

/// Messages from the browser that were not collected yet.
#[derive(Default)]
struct Heard {
    last: u64,
    answers: HashMap<u64, Value>,
    /// Events by session.
    events: HashMap<String, Vec<Value>>,
    gone: bool,
}

impl Browser {
    /// The browser. `None`, with a visible message, if none is installed.
    pub(crate) fn get() -> Option<&'static Self> {
        static BROWSER: OnceLock<Option<Browser>> = OnceLock::new();
        let browser = BROWSER.get_or_init(|| {
            let found = program();
            if found.is_none() {
                skipped("CHROMIUM IS NOT INSTALLED, SO THE PAGE IS NOT TESTED IN A BROWSER");
            }
            Some(Self::start(&found?))
        });
        browser.as_ref()
    }

    fn start(program: &str) -> Self {
        let mut command = Command::new("sh");
        command.args(["-c", START, "sh", program]).args(FLAGS);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = spawn(&mut command).expect("there is a shell");
        let input = child.stdin.take().expect("it is piped");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let heard: Arc<(Mutex<Heard>, Condvar)> = Arc::default();
        let reader = Arc::clone(&heard);
        thread::spawn(move || {
            for message in output.split(0).map_while(Result::ok) {
                let message = serde_json::from_slice(&message).expect("Chromium sends JSON");
                reader.0.lock().expect("nobody panics with it").take(message);
                reader.1.notify_all();
            }
            reader.0.lock().expect("nobody panics with it").gone = true;
            reader.1.notify_all();
            drop(child.wait());
        });
        Self { input: Mutex::new(input), heard }
    }

    /// Calls a method of a session, or of the browser itself if `session` is empty. The error is the browser's message.
    pub(crate) fn call(
        &self,
        session: &str,
        method: &str,
        parameters: &Value,
    ) -> Result<Value, String> {
        let (heard, news) = &*self.heard;
        let id = {
            let mut heard = heard.lock().expect("nobody panics with it");
            heard.last += 1;
            heard.last
        };
        let mut message = json!({"id": id, "method": method, "params": parameters});
        if !session.is_empty() {
            message["sessionId"] = session.into();
        }
        let mut bytes = serde_json::to_vec(&message).expect("it is JSON");
        bytes.push(0);
        let written = self.input.lock().expect("nobody panics with it").write_all(&bytes);
        written.map_err(|error| format!("the browser is gone: {error}"))?;
        let guard = heard.lock().expect("nobody panics with it");
        let waiting = |heard: &mut Heard| !heard.gone && !heard.answers.contains_key(&id);
        let (mut guard, _) =
            news.wait_timeout_while(guard, PATIENCE, waiting).expect("nobody panics with it");
        let mut answer = guard.answers.remove(&id).ok_or("the browser does not answer")?;
        match answer.get("error") {
            Some(error) => Err(format!("{method}: {error}")),
            None => Ok(answer["result"].take()),
        }
    }

    /// The events of a session since the last call.
    pub(crate) fn events(&self, session: &str) -> Vec<Value> {
        let mut heard = self.heard.0.lock().expect("nobody panics with it");
        heard.events.get_mut(session).map(std::mem::take).unwrap_or_default()
    }
}

impl Heard {
    fn take(&mut self, message: Value) {
        if let Some(id) = message["id"].as_u64() {
            self.answers.insert(id, message);
        } else if let Some(session) = message["sessionId"].as_str() {
            self.events.entry(session.to_owned()).or_default().push(message);
        }
    }
}

/// The Chromium executable to use.
fn program() -> Option<String> {
    let named = std::env::var("CHROMIUM").ok();
    let usual = ["chromium", "chromium-browser", "google-chrome"].map(str::to_owned);
    named.into_iter().chain(usual).find(|program| is_working(program))
}

/// Sleeps briefly between two polls.
pub(crate) fn moment() {
    thread::sleep(Duration::from_millis(10));
}
