//! A person's actions on a page: elements are found by role and name, as assistive technology finds them, and used by
//! mouse, touch or keyboard.

use serde_json::{Value, json};

use super::page::{Page, text};

/// The point at which to click `this`, or null if something covers it. A hidden checkbox is clicked on its label.
const PLACE: &str = "function() {
    if (this.disabled || this.ariaDisabled === 'true') return null;
    for (const element of [this, ...(this.labels ?? [])]) {
        element.scrollIntoView({block: 'center', behavior: 'instant'});
        const box = element.getBoundingClientRect();
        const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
        const hit = box.width > 1 && document.elementFromPoint(x, y);
        if (hit && (element.contains(hit) || hit.contains(element))) return [x, y];
    }
    return null;
}";

impl Page {
    /// Waits for an element with this role and name.
    #[track_caller]
    pub(crate) fn find(&self, role: &str, name: &str) -> Value {
        self.until(&format!("{role} {name:?}"), || self.look(role, name))
    }

    /// Whether there is an element with this role and name now.
    pub(crate) fn has(&self, role: &str, name: &str) -> bool {
        self.look(role, name).is_some()
    }

    /// The names of all elements with this role.
    pub(crate) fn names(&self, role: &str) -> Vec<String> {
        let nodes = self.nodes(role);
        nodes.iter().map(|node| text(&node["name"]["value"])).collect()
    }

    /// The node with this role and name in the document.
    fn look(&self, role: &str, name: &str) -> Option<Value> {
        pick(&self.nodes(role), name)
    }

    fn nodes(&self, role: &str) -> Vec<Value> {
        let document = self.try_call("Runtime.evaluate", &json!({"expression": "document"}));
        document.map(|answer| self.within(&answer["result"], role)).unwrap_or_default()
    }

    /// A group of elements, such as the choices of a radio group.
    fn group(&self, name: &str) -> Option<Value> {
        let node = json!({"backendNodeId": self.look("group", name)?});
        Some(self.try_call("DOM.resolveNode", &node).ok()?["object"].take())
    }

    /// The nodes with this role within an object.
    fn within(&self, object: &Value, role: &str) -> Vec<Value> {
        let scope = json!({"objectId": object["objectId"], "role": role});
        let answer = self.try_call("Accessibility.queryAXTree", &scope);
        let nodes = answer.map(|mut answer| answer["nodes"].take()).unwrap_or_default();
        let nodes = nodes.as_array().cloned().unwrap_or_default();
        nodes.into_iter().filter(|node| node["ignored"] != true).collect()
    }

    /// Calls a function with a node as `this`.
    fn apply(&self, node: &Value, function: &str) -> Result<Value, String> {
        let object = self.try_call("DOM.resolveNode", &json!({"backendNodeId": node}))?;
        let call = json!({
            "objectId": object["object"]["objectId"], "functionDeclaration": function, "returnByValue": true,
        });
        Ok(self.try_call("Runtime.callFunctionOn", &call)?["result"]["value"].take())
    }

    /// Clicks an element.
    #[track_caller]
    pub(crate) fn click(&self, role: &str, name: &str) {
        self.click_at(self.place(role, name));
    }

    /// Clicks an element in a group.
    #[track_caller]
    pub(crate) fn click_in(&self, group: &str, role: &str, name: &str) {
        let place = self.until(&format!("{role} {name:?} in {group:?} to click on"), || {
            let node = pick(&self.within(&self.group(group)?, role), name)?;
            self.place_of(&node)
        });
        self.click_at(place);
    }

    fn click_at(&self, place: (f64, f64)) {
        for (kind, buttons) in [("mouseMoved", 0), ("mousePressed", 1), ("mouseReleased", 0)] {
            self.mouse(kind, place, buttons);
        }
    }

    /// Taps an element.
    #[track_caller]
    pub(crate) fn tap(&self, role: &str, name: &str) {
        let (x, y) = self.place(role, name);
        let touch = |kind: &str, points: Value| {
            self.call("Input.dispatchTouchEvent", &json!({"type": kind, "touchPoints": points}));
        };
        touch("touchStart", json!([{"x": x, "y": y}]));
        touch("touchEnd", json!([]));
    }

    /// Drags the mouse from one point to another.
    #[track_caller]
    pub(crate) fn drag(&self, from: (f64, f64), to: (f64, f64)) {
        self.mouse("mouseMoved", from, 0);
        self.mouse("mousePressed", from, 1);
        for step in 1..=4 {
            let part = |from: f64, to: f64| from + (to - from) * f64::from(step) / 4.0;
            self.mouse("mouseMoved", (part(from.0, to.0), part(from.1, to.1)), 1);
        }
        self.mouse("mouseReleased", to, 0);
    }

    fn mouse(&self, kind: &str, (x, y): (f64, f64), buttons: u8) {
        let button = if kind == "mouseMoved" && buttons == 0 { "none" } else { "left" };
        let event = json!({
            "type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": 1,
        });
        self.call("Input.dispatchMouseEvent", &event);
    }

    /// Waits until an element can be clicked; returns the point.
    #[track_caller]
    pub(crate) fn place(&self, role: &str, name: &str) -> (f64, f64) {
        let what = format!("{role} {name:?} to click on");
        self.until(&what, || self.place_of(&self.look(role, name)?))
    }

    fn place_of(&self, node: &Value) -> Option<(f64, f64)> {
        let place = self.apply(node, PLACE).ok()?;
        Some((place[0].as_f64()?, place[1].as_f64()?))
    }

    /// Replaces the text of a field.
    #[track_caller]
    pub(crate) fn fill(&self, name: &str, words: &str) {
        let node = self.find("textbox", name);
        self.until(&format!("the field {name:?}"), || {
            self.apply(&node, "function() { this.focus(); this.select(); return true; }").ok()
        });
        self.call("Input.insertText", &json!({"text": words}));
    }

    /// Presses a key: a letter or digit, or its name.
    #[track_caller]
    pub(crate) fn press(&self, key: &str) {
        let (code, letter) = match key {
            "Tab" => (9, None),
            "Enter" => (13, Some("\r")),
            "Escape" => (27, None),
            "Space" | " " => (32, Some(" ")),
            "End" => (35, None),
            "Home" => (36, None),
            "ArrowLeft" => (37, None),
            "ArrowUp" => (38, None),
            "ArrowRight" => (39, None),
            "ArrowDown" => (40, None),
            letter => {
                assert_eq!(letter.chars().count(), 1, "there is no key {key}");
                let code = letter.chars().next().expect("one letter").to_ascii_uppercase();
                (u32::from(code), Some(letter))
            }
        };
        let name = if key == "Space" { " " } else { key };
        let mut event = json!({"key": name, "code": key, "windowsVirtualKeyCode": code});
        event["type"] = if letter.is_some() { "keyDown" } else { "rawKeyDown" }.into();
        if let Some(letter) = letter {
            event["text"] = letter.into();
        }
        self.call("Input.dispatchKeyEvent", &event);
        let up = json!({"type": "keyUp", "key": name, "code": key, "windowsVirtualKeyCode": code});
        self.call("Input.dispatchKeyEvent", &up);
    }

    /// Presses Tab until an element has the focus.
    #[track_caller]
    pub(crate) fn tab_to(&self, role: &str, name: &str) {
        self.find(role, name);
        for _ in 0..200 {
            let focused = json!({"expression": "document.activeElement"});
            let object = self.call("Runtime.evaluate", &focused)["result"]["objectId"].take();
            let node = self.try_call("DOM.describeNode", &json!({"objectId": object}));
            let is_there = node.is_ok_and(|node| {
                self.look(role, name).as_ref() == Some(&node["node"]["backendNodeId"])
            });
            if is_there {
                return;
            }
            self.press("Tab");
        }
        panic!("Tab never reaches {role} {name:?}\n{}", self.text());
    }

    /// Emulates media features, such as `prefers-color-scheme` with the value `dark`.
    pub(crate) fn emulate(&self, features: &[(&str, &str)]) {
        let feature = |(name, value): &(&str, &str)| json!({"name": name, "value": value});
        let features: Vec<Value> = features.iter().map(feature).collect();
        self.call("Emulation.setEmulatedMedia", &json!({"features": features}));
    }

    pub(crate) fn offline(&self, offline: bool) {
        let network = json!({
            "offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1,
        });
        self.call("Network.emulateNetworkConditions", &network);
    }

    /// Blocks all requests to these addresses.
    pub(crate) fn block(&self, addresses: &[&str]) {
        self.call("Network.setBlockedURLs", &json!({"urls": addresses}));
    }

    pub(crate) fn resize(&self, (width, height): (u32, u32)) {
        let size = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500,
        });
        self.call("Emulation.setDeviceMetricsOverride", &size);
    }
}

/// The node with exactly this name, or else one whose name starts with it, or else one whose name contains it.
fn pick(nodes: &[Value], name: &str) -> Option<Value> {
    let name = name.to_lowercase();
    let rank = |node: &&Value| {
        let called = text(&node["name"]["value"]).to_lowercase();
        [called == name, called.starts_with(&format!("{name} ")), called.contains(&name)]
    };
    let best = nodes.iter().rev().max_by_key(rank)?;
    rank(&best).contains(&true).then(|| best["backendDOMNodeId"].clone())
}
