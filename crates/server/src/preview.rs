//! Previews of games for chat programs: a title, a description, and a picture of the position as PNG, which all of them
//! can show.

use miniz_oxide::deflate::compress_to_vec_zlib;
use skirmish_present::map::escape;
use skirmish_room::Room;
use skirmish_rules::{Both, Entry, Gallery, Gauge, Pose, Scene, Side, Size, Table, Track};

/// The size of a picture in pixels.
const WIDE: usize = 600;
const HIGH: usize = 315;

/// The height of the floor on which everything stands.
const FLOOR: usize = 235;

/// The part of the width that the road takes.
const ROAD: usize = 560;

/// The largest enlargement of a drawing.
const LARGEST: usize = 10;

/// The colours of the page's dark theme. A pixel is an index into them.
const COLOURS: [[u8; 3]; 12] = [
    [0x16, 0x1c, 0x25],
    [0x1e, 0x26, 0x31],
    [0x10, 0x15, 0x1b],
    [0x6e, 0x7a, 0x89],
    [0x8b, 0x94, 0x9e],
    [0x0b, 0x12, 0x20],
    [0x58, 0xa6, 0xff],
    [0xa5, 0xd0, 0xff],
    [0x2f, 0x6d, 0xb8],
    [0xf2, 0x8c, 0x38],
    [0xff, 0xc3, 0x8f],
    [0xa8, 0x5a, 0x17],
];
const SKY: u8 = 0;
const LAND: u8 = 1;
const TILE: u8 = 2;
const EDGE: u8 = 3;
const NEUTRAL: u8 = 4;
const OUTLINE: u8 = 5;

/// A side's colour; the highlight and the shade follow it.
const fn colour(side: Side) -> u8 {
    match side {
        Side::One => 6,
        Side::Two => 9,
    }
}

/// A title and a description, as plain text.
pub(crate) struct Preview {
    pub(crate) title: String,
    pub(crate) description: String,
}

impl Preview {
    /// Describes a room. Who plays a game without spectators is a secret.
    pub(crate) fn of(room: &Room, entry: &Entry) -> Self {
        let seated = Both::from(room.seated());
        let names: Vec<&str> =
            Side::ALL.into_iter().filter_map(|side| Some(&*seated[side].as_ref()?.name)).collect();
        let game = entry.name;
        let title = match &names[..] {
            [host] if room.is_open() => format!("{host} invites you to {game}"),
            [one, two] if is_public(room) => format!("{game}: {one} against {two}"),
            _ => format!("A game of {game}"),
        };
        Self { title, description: entry.summary.to_owned() }
    }

    /// Returns the tags for a page's head. `url` is the address of the game.
    pub(crate) fn tags(&self, url: &str) -> String {
        let Self { title, description } = self;
        let picture = format!("{url}.png");
        let tags = [
            ("og:site_name", "Skirmish"),
            ("og:type", "website"),
            ("og:title", title),
            ("og:description", description),
            ("og:url", url),
            ("og:image", &picture),
            ("og:image:width", &WIDE.to_string()),
            ("og:image:height", &HIGH.to_string()),
            ("twitter:card", "summary_large_image"),
        ];
        let tag = |(name, text): &(&str, &str)| {
            format!("<meta property=\"{name}\" content=\"{}\">\n", escape(text))
        };
        tags.iter().map(tag).collect::<Vec<_>>().concat()
    }
}

/// Whether everybody may see the current position of a room.
fn is_public(room: &Room) -> bool {
    room.terms().spectators || room.end().is_some()
}

/// Draws the current position of a room, or the starting position if the current one is not public.
pub(crate) fn picture(room: &Room, entry: &'static Entry) -> Vec<u8> {
    let start = || entry.open(entry.setup()).expect("the usual rules are valid").scene();
    let table = room.table().filter(|_| is_public(room));
    let scene = table.map_or_else(start, Table::scene);
    draw(entry, &scene)
}

/// Draws a position of a game.
fn draw(entry: &Entry, scene: &Scene) -> Vec<u8> {
    let gallery = entry.gallery();
    let mut canvas = Canvas { pixels: vec![SKY; WIDE * HIGH] };
    canvas.fill((0, FLOOR), (WIDE, HIGH - FLOOR), LAND);
    match scene.track {
        Some(track) => canvas.road(&gallery, scene, track),
        None => canvas.duel(&gallery, scene.gauges.as_ref()),
    }
    png(&canvas.pixels)
}

struct Canvas {
    pixels: Vec<u8>,
}

impl Canvas {
    fn fill(&mut self, (x, y): (usize, usize), (width, height): (usize, usize), colour: u8) {
        for row in self.pixels.chunks_mut(WIDE).skip(y).take(height) {
            row[x.min(WIDE)..(x + width).min(WIDE)].fill(colour);
        }
    }

    /// Draws the owner's drawing with this name, centred at `x` with its feet at `y`, at most `most` pixels wide.
    fn figure(
        &mut self,
        gallery: &Gallery,
        name: Option<&String>,
        owner: Option<Side>,
        (x, y, most): (usize, usize, usize),
    ) {
        let large = if most > 64 { Size::Large } else { Size::Medium };
        let drawing = name.and_then(|name| gallery.named(name));
        let plain = || ["##..", "####", "####", "##.."].map(str::to_owned).to_vec();
        let rows = drawing.map_or_else(plain, |drawing| drawing.rows(Pose::Stand, large));
        let width = rows.iter().map(String::len).max().unwrap_or(1);
        let scale = (most / width).clamp(1, LARGEST);
        let left = x.saturating_sub(width * scale / 2);
        let top = y.saturating_sub(rows.len() * scale);
        for (down, row) in rows.iter().enumerate() {
            for (across, pixel) in row.bytes().enumerate() {
                let tone = match (pixel, owner.map(colour)) {
                    (b'.', _) => continue,
                    (b'@', _) => OUTLINE,
                    (b'o', _) | (_, None) => NEUTRAL,
                    (b'+', Some(own)) => own + 1,
                    (b'%', Some(own)) => own + 2,
                    (_, Some(own)) => own,
                };
                let across = if owner == Some(Side::Two) { width - 1 - across } else { across };
                self.fill((left + across * scale, top + down * scale), (scale, scale), tone);
            }
        }
    }

    fn road(&mut self, gallery: &Gallery, scene: &Scene, track: Track) {
        let count = usize::from(track.last - track.first) + 1;
        let cell = ROAD / count;
        let edge = (WIDE - cell * count) / 2;
        let x = |at: u8| edge + usize::from(at - track.first) * cell + cell / 2;
        for at in track.first..=track.last {
            let wide = (cell * 7 / 8).max(1);
            let goal_of = |side: Side| track.goal.as_ref().is_some_and(|goal| goal[side] == at);
            let edge = match (goal_of(Side::One), goal_of(Side::Two)) {
                (true, false) => colour(Side::Two),
                (false, true) => colour(Side::One),
                (true, true) | (false, false) => EDGE,
            };
            self.fill((x(at) - wide / 2, FLOOR + 14), (wide, 30), edge);
            self.fill((x(at) - wide / 2 + 3, FLOOR + 17), (wide.saturating_sub(6), 24), TILE);
        }
        if let Some(goal) = &track.goal {
            let is_shared = goal[Side::One] == goal[Side::Two];
            let owned = Side::ALL.map(|side| (goal[side.other()], Some(side)));
            let shared = [(goal[Side::One], None)];
            let name = if is_shared { &gallery.goal } else { &gallery.base };
            for &(at, owner) in if is_shared { &shared[..] } else { &owned } {
                if name.is_some() {
                    self.figure(gallery, name.as_ref(), owner, (x(at), FLOOR, cell));
                }
            }
        }
        for (index, piece) in scene.pieces.iter().enumerate() {
            // Pieces on the same place stand on each other.
            let below = scene.pieces[..index].iter().filter(|other| other.at == piece.at).count();
            let feet = FLOOR.saturating_sub(below * cell);
            self.figure(
                gallery,
                gallery.piece.as_ref(),
                Some(piece.side),
                (x(piece.at), feet, cell),
            );
        }
    }

    /// Draws two fighters who face each other, with their points above them.
    fn duel(&mut self, gallery: &Gallery, gauges: Option<&Both<Gauge>>) {
        for side in Side::ALL {
            let x = if side == Side::One { WIDE / 4 } else { WIDE * 3 / 4 };
            self.figure(gallery, gallery.piece.as_ref(), Some(side), (x, FLOOR, 160));
            let Some(gauge) = gauges.map(|gauges| &gauges[side]) else { continue };
            let unit = 200 / usize::from(gauge.max).max(1);
            for n in 0..usize::from(gauge.max) {
                let full = n < usize::from(gauge.value);
                let tone = if full { colour(side) } else { TILE };
                self.fill((x - 100 + n * unit, 30), (unit.saturating_sub(4), 16), tone);
            }
        }
    }
}

/// Encodes pixels as PNG with a palette.
fn png(pixels: &[u8]) -> Vec<u8> {
    let size = |size: usize| u32::try_from(size).expect("a small picture").to_be_bytes();
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    // Eight bits for each pixel, which is an index into the palette.
    let header = [&size(WIDE)[..], &size(HIGH), &[8, 3, 0, 0, 0]].concat();
    // Each row begins with its filter: none.
    let rows: Vec<u8> = pixels.chunks(WIDE).flat_map(|row| [&[0], row].concat()).collect();
    for (kind, data) in [
        (b"IHDR", header),
        (b"PLTE", COLOURS.concat()),
        (b"IDAT", compress_to_vec_zlib(&rows, 6)),
        (b"IEND", Vec::new()),
    ] {
        let checked = [&kind[..], &data].concat();
        file.extend(size(data.len()));
        file.extend(&checked);
        file.extend(checksum(&checked).to_be_bytes());
    }
    file
}

/// The CRC-32 of a PNG chunk.
fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, &byte| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| {
            (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg())
        })
    })
}

#[cfg(test)]
mod tests {
    use skirmish_rules::GAMES;

    use super::*;

    #[test]
    fn every_start_has_both_colours() {
        for entry in GAMES.iter() {
            let table = entry.open(entry.setup()).expect("the usual rules");
            let picture = draw(entry, &table.scene());
            assert!(picture.starts_with(b"\x89PNG\r\n\x1a\n"));
            let at = picture.windows(4).position(|part| part == b"IDAT").expect("the pixels");
            let length = u32::from_be_bytes(picture[at - 4..at].try_into().expect("four bytes"));
            let packed = &picture[at + 4..at + 4 + length as usize];
            let rows = miniz_oxide::inflate::decompress_to_vec_zlib(packed).expect("pixels");
            assert_eq!(rows.len(), (WIDE + 1) * HIGH);
            for side in Side::ALL {
                assert!(rows.contains(&colour(side)), "{} {side}", entry.id);
            }
        }
    }

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(checksum(b"IEND"), 0xae42_6082);
    }

    #[test]
    fn text_cannot_leave_its_attribute() {
        let preview = Preview { title: "\"><script>&".to_owned(), description: String::new() };
        let tags = preview.tags("http://x/g/ABC234");
        assert!(tags.contains("content=\"&quot;&gt;&lt;script&gt;&amp;\""), "{tags}");
    }
}
