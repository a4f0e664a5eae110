//! Names and messages of other players are treated as plain text.

use super::page::Person;
use super::{LOG, accept, choose, create, log, player, stage};

/// Invisible characters, and those that reorder text.
const HIDDEN: &str = r"/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/";

#[test]
fn names_with_markup_and_hidden_characters_do_no_harm() {
    let Some((browser, server)) = stage() else { return };
    for (name, shown) in [
        ("<img src=x onerror=a()>", "<img src=x onerror=a()>"),
        ("&lt;Ann&gt; ${1} %s", "&lt;Ann&gt; ${1} %s"),
        // The server refuses hidden characters.
        ("\u{202e}nnA\u{2066}", "Guest "),
        ("אנה", "אנה"),
    ] {
        let ann = player(browser, name, &format!("{}/", server.url));
        let code = create(&ann.page, "Capture the Line");
        let bob = player(browser, "Bob", &format!("{}/g/{code}", server.url));
        accept(&bob.page);
        choose(&ann.page, "2");
        for page in [&ann.page, &bob.page] {
            page.wait(&format!(
                "document.querySelector('ol[aria-label=\"{LOG}\"]')?.textContent.includes(' to Point 3.')"
            ));
        }
        ann.page.click("DisclosureTriangle", "Say something");
        ann.page.click("button", "Hello!");
        bob.page.sees("Hello!");
        for page in [&ann.page, &bob.page] {
            let text = page.text();
            let log = log(page).join("\n");
            assert!(text.contains(shown) && log.contains(shown), "{name:?}\n{text}");
            let harm = page.evaluate(&format!(
                "[...document.querySelectorAll('#own, [onerror], [src=x]')].map(it => it.outerHTML)
                    .concat({HIDDEN}.test(document.body.innerText + document.title) ? ['hidden'] : [])"
            ));
            assert_eq!(harm, serde_json::json!([]), "{name:?}");
            // The name has its own element, which isolates its writing direction.
            page.wait(&format!(
                "[...document.querySelectorAll('bdi')].some(it => it.textContent.includes({}))",
                serde_json::json!(shown)
            ));
        }
    }
}

/// The request once renamed the guest first, and the form was recreated without the error.
#[test]
fn a_name_that_is_taken_is_refused_beside_its_field() {
    let Some((browser, server)) = stage() else { return };
    let you = format!("{}/you", server.url);
    let zoe = player(browser, "Zoe", &you);
    zoe.page.click("button", "Register");
    zoe.page.sees("recovery code");
    zoe.page.sees("You have not finished any games here yet.");
    // The device id, which excludes rated games between two accounts on one device.
    zoe.page.wait("/^[0-9a-f]{32}$/.test(localStorage.getItem('skirmish.device'))");
    let links =
        "[...document.querySelectorAll('a')].filter((it) => it.innerText === 'Leaderboards')";
    zoe.page.wait(&format!("{links}.length === 1"));
    for (field, button) in [("Your name as a guest", "Change"), ("Create an account", "Register")] {
        for guest in [Person::new(browser).open(&you), player(browser, "Cara", &you).page] {
            guest.fill(field, "Zoe");
            guest.click("button", button);
            guest.wait("document.querySelector('.error')");
            let form = guest.evaluate(
                "(() => {
                    const field = document.querySelector('form:has(.error) input');
                    return [field.value, field === document.activeElement, field.form.innerText];
                })()",
            );
            assert_eq!((&form[0], &form[1]), (&"Zoe".into(), &true.into()), "{button}");
            assert!(form[2].as_str().is_some_and(|it| it.contains("choose another one")), "{form}");
        }
    }
}
