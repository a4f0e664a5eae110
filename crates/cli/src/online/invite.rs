//! The invitation to a game: its address, its code, and a QR code for a phone's camera.

use std::io::{self, IsTerminal};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};

use qrcode::QrCode;
use qrcode::render::unicode::Dense1x2;
use skirmish_present::Manner;
use skirmish_present::json::EventObject;
use skirmish_system::terminal::output_size;

use super::address::ServerAddress;
use crate::line::Console;
use crate::output;

/// Number of text rows that must stay visible around the QR code.
const TEXT_ROWS: usize = 8;

/// Prints how another player can join a game.
pub(super) fn show(console: &mut Console, address: &ServerAddress, code: &str) -> io::Result<()> {
    let url = address.invitation(code);
    let picture = picture(&url).map_or_else(String::new, |picture| format!("\n{picture}\n"));
    let text = format!(
        "The game waits for a second player, who can join it in a browser or in a terminal:\n\n  {url}\n  skirmish join {url}\n{picture}\n\
         The code of the game is {code}."
    );
    console.say(&text, || EventObject::Invitation { code: code.to_owned(), url: url.clone() })
}

/// Prints how the other player can rejoin a game whose server has a new address.
pub(super) fn show_again(
    console: &mut Console,
    address: &ServerAddress,
    code: &str,
) -> io::Result<()> {
    let url = address.invitation(code);
    let text = format!(
        "The other player comes back in a browser or in a terminal:\n\n  {url}\n  skirmish join {url}\n"
    );
    console.say(&text, || EventObject::Invitation { code: code.to_owned(), url: url.clone() })
}

/// The address as a QR code, if the terminal can show it.
fn picture(url: &str) -> Option<String> {
    let is_shown = io::stdout().is_terminal() && !output::is_ascii();
    if !is_shown || output::manner() == Manner::Spoken {
        return None;
    }
    let code = QrCode::new(url).ok()?;
    // Most terminals are dark, and cameras expect dark on light.
    let mut drawing = code.render::<Dense1x2>();
    let picture = drawing.dark_color(Dense1x2::Light).light_color(Dense1x2::Dark).build();
    let (columns, rows) = output_size()?;
    let fits = picture.lines().next()?.chars().count() <= columns.into()
        && picture.lines().count() + TEXT_ROWS <= rows.into();
    fits.then_some(picture)
}

/// The server's address for other machines: if it listens on all interfaces, this machine's address on the local network.
pub(super) fn seen_from_outside(listening: SocketAddr) -> ServerAddress {
    let ip = if listening.ip().is_unspecified() { network_address() } else { listening.ip() };
    let url = format!("http://{}", SocketAddr::new(ip, listening.port()));
    url.parse().expect("an IP address and a port are an address")
}

/// The address of the outgoing network interface. Connecting a UDP socket sends nothing.
fn network_address() -> IpAddr {
    let route = || {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        // An address reserved for documentation (RFC 5737).
        socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9))?;
        socket.local_addr()
    };
    match route().map(|address: SocketAddr| address.ip()) {
        Ok(ip) if !ip.is_unspecified() => ip,
        Ok(_) | Err(_) => Ipv4Addr::LOCALHOST.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_everybody_listens_on_is_no_invitation() {
        let everywhere = SocketAddr::from(([0, 0, 0, 0], 7777));
        let seen = seen_from_outside(everywhere).to_string();
        assert!(seen.starts_with("http://") && !seen.contains("0.0.0.0"), "{seen}");
        let here = SocketAddr::from(([127, 0, 0, 1], 80));
        assert_eq!(seen_from_outside(here).to_string(), "http://127.0.0.1");
    }
}
