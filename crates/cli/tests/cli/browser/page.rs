//! A page in the browser: its contents, announcements, messages and errors.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

use serde_json::{Value, json};

use super::devtools::{Browser, moment};
use crate::support::PATIENCE;

/// Runs before the page's own scripts: records what a screen reader would announce, and turns violations of the content
/// security policy into errors.
const WITNESS: &str = "
    window.announced = [];
    document.addEventListener('securitypolicyviolation', event =>
        console.error(`CSP: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`));
    new MutationObserver(changes => {
        const whole = new Set();
        for (const {target, addedNodes} of changes) {
            const element = target.nodeType === 1 ? target : target.parentElement;
            const region = element?.closest('[aria-live]:not([aria-live=off]), [role=status], [role=alert], [role=log]');
            if (!region) continue;
            if (region.matches('[role=log]')) for (const node of addedNodes) announced.push(node.textContent.trim());
            else whole.add(region);
        }
        for (const region of whole) if (region.textContent.trim()) announced.push(region.textContent.trim());
    }).observe(document, {subtree: true, childList: true, characterData: true});
";

/// A person with a separate browser context: nothing stored, and nothing shared with others.
pub(crate) struct Person {
    browser: &'static Browser,
    context: String,
}

impl Person {
    pub(crate) fn new(browser: &'static Browser) -> Rc<Self> {
        let answer = browser.call("", "Target.createBrowserContext", &json!({}));
        let context = text(&answer.expect("there is room for a person")["browserContextId"]);
        Rc::new(Self { browser, context })
    }

    /// Opens an address in a new tab.
    pub(crate) fn open(self: &Rc<Self>, address: &str) -> Page {
        let page = self.tab();
        page.go(address);
        page
    }

    /// An empty tab.
    pub(crate) fn tab(self: &Rc<Self>) -> Page {
        let call = |method: &str, parameters: Value| {
            self.browser.call("", method, &parameters).unwrap_or_else(|error| panic!("{error}"))
        };
        let place =
            json!({"url": "about:blank", "browserContextId": self.context, "newWindow": true});
        let target = call("Target.createTarget", place);
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = text(&call("Target.attachToTarget", attach)["sessionId"]);
        let page = Page {
            person: Rc::clone(self),
            session,
            target: text(&target["targetId"]),
            log: RefCell::default(),
        };
        for domain in ["Page", "Runtime", "Log", "Network", "DOM", "Accessibility", "Audits"] {
            page.call(&format!("{domain}.enable"), &json!({}));
        }
        page.call("Emulation.setFocusEmulationEnabled", &json!({"enabled": true}));
        page.before_scripts(WITNESS);
        page
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        let context = json!({"browserContextId": self.context});
        drop(self.browser.call("", "Target.disposeBrowserContext", &context));
    }
}

/// The recorded events of a page.
#[derive(Default)]
struct Log {
    errors: Vec<String>,
    received: Vec<String>,
    tolerated: Vec<&'static str>,
}

/// A tab. Dropping it asserts that it had no errors.
pub(crate) struct Page {
    person: Rc<Person>,
    session: String,
    target: String,
    log: RefCell<Log>,
}

impl Page {
    /// Calls a method that must succeed.
    #[track_caller]
    pub(crate) fn call(&self, method: &str, parameters: &Value) -> Value {
        self.try_call(method, parameters).unwrap_or_else(|error| panic!("{error}"))
    }

    pub(crate) fn try_call(&self, method: &str, parameters: &Value) -> Result<Value, String> {
        self.person.browser.call(&self.session, method, parameters)
    }

    /// Runs a script in every document before its own.
    pub(crate) fn before_scripts(&self, script: &str) {
        self.call("Page.addScriptToEvaluateOnNewDocument", &json!({"source": script}));
    }

    pub(crate) fn go(&self, address: &str) {
        let answer = self.call("Page.navigate", &json!({"url": address}));
        assert!(answer["errorText"].is_null(), "{address}: {}", answer["errorText"]);
    }

    /// Evaluates an expression, and awaits it if it is a promise. The error is the exception's message.
    pub(crate) fn try_evaluate(&self, expression: &str) -> Result<Value, String> {
        let how = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let mut answer = self.try_call("Runtime.evaluate", &how)?;
        match answer.get("exceptionDetails") {
            Some(details) => Err(details["exception"]["description"].to_string()),
            None => Ok(answer["result"]["value"].take()),
        }
    }

    #[track_caller]
    pub(crate) fn evaluate(&self, expression: &str) -> Value {
        self.try_evaluate(expression).unwrap_or_else(|error| panic!("{expression}\n{error}"))
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub(crate) fn wait(&self, expression: &str) {
        let wanted = format!("Boolean({expression})");
        // A page that is navigating cannot answer.
        self.until(expression, || (self.try_evaluate(&wanted) == Ok(true.into())).then_some(()));
    }

    /// Waits until `look` finds something.
    #[track_caller]
    pub(crate) fn until<T>(&self, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
        let begun = Instant::now();
        loop {
            if let Some(found) = look() {
                return found;
            }
            assert!(begun.elapsed() < PATIENCE, "waited in vain for {what}\n{}", self.describe());
            moment();
        }
    }

    /// Waits until the page shows a text.
    #[track_caller]
    pub(crate) fn sees(&self, words: &str) {
        self.wait(&format!("document.body?.innerText.includes({})", json!(words)));
    }

    /// The page's visible text.
    #[track_caller]
    pub(crate) fn text(&self) -> String {
        text(&self.evaluate("document.body?.innerText ?? ''"))
    }

    /// The screen reader announcements since the page was loaded.
    #[track_caller]
    pub(crate) fn announced(&self) -> Vec<String> {
        let texts = self.evaluate("window.announced");
        texts.as_array().expect("a list").iter().map(text).collect()
    }

    /// Waits until a screen reader has announced a text.
    #[track_caller]
    pub(crate) fn announces(&self, words: &str) {
        let words = json!(words);
        self.wait(&format!("window.announced?.some(text => text.includes({words}))"));
    }

    /// The WebSocket frames received so far.
    pub(crate) fn received(&self) -> Vec<String> {
        self.collect();
        self.log.borrow().received.clone()
    }

    /// Ignores errors with this text, such as those that browsers report for lost connections.
    pub(crate) fn tolerate(&self, words: &'static str) {
        self.log.borrow_mut().tolerated.push(words);
    }

    /// The unexpected errors so far.
    pub(crate) fn errors(&self) -> Vec<String> {
        self.collect();
        let log = self.log.borrow();
        let is_expected = |error: &&String| log.tolerated.iter().any(|it| error.contains(it));
        log.errors.iter().filter(|error| !is_expected(error)).cloned().collect()
    }

    /// A screenshot as PNG.
    pub(crate) fn picture(&self) -> Vec<u8> {
        let answer = self.call("Page.captureScreenshot", &json!({"format": "png"}));
        base64(answer["data"].as_str().expect("a picture"))
    }

    fn collect(&self) {
        let mut log = self.log.borrow_mut();
        for event in self.person.browser.events(&self.session) {
            let details = &event["params"];
            match event["method"].as_str().unwrap_or_default() {
                "Runtime.exceptionThrown" => log
                    .errors
                    .push(details["exceptionDetails"]["exception"]["description"].to_string()),
                "Runtime.consoleAPICalled" if details["type"] == "error" => {
                    log.errors.push(details["args"].to_string());
                }
                "Log.entryAdded" if details["entry"]["level"] == "error" => {
                    log.errors.push(details["entry"].to_string());
                }
                "Audits.issueAdded" if details["issue"]["code"] == "ContentSecurityPolicyIssue" => {
                    log.errors.push(details["issue"].to_string());
                }
                "Network.webSocketFrameReceived" => {
                    log.received.push(text(&details["response"]["payloadData"]));
                }
                _ => {}
            }
        }
    }

    /// Describes the page for the message of a failed test.
    fn describe(&self) -> String {
        let read =
            |expression| self.try_evaluate(expression).map(|it| text(&it)).unwrap_or_default();
        let (place, seen) = (read("location.href"), read("document.body?.innerText"));
        let announced = read("JSON.stringify(window.announced)");
        let errors = self.errors().join("\n");
        format!("--- {place}\n{seen}\n--- announced\n{announced}\n--- errors\n{errors}")
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if std::thread::panicking() {
            drop(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                eprintln!("{}", self.describe());
            })));
        } else {
            let errors = self.errors();
            assert!(errors.is_empty(), "the page has errors:\n{}", errors.join("\n"));
        }
        let target = json!({"targetId": self.target});
        drop(self.person.browser.call("", "Target.closeTarget", &target));
    }
}

/// The string in a JSON value.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Decodes Base64, the format of screenshots.
fn base64(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits: Vec<u8> = text.bytes().filter_map(value).collect();
    let group = |digits: &[u8]| {
        let bits = digits.iter().fold(0u32, |bits, &digit| bits << 6 | u32::from(digit));
        let bytes = (bits << (6 * (4 - digits.len()))).to_be_bytes();
        bytes[1..digits.len()].to_vec()
    };
    digits.chunks(4).flat_map(group).collect()
}
