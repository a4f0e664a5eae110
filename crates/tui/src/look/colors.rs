//! The colours of every theme, and their approximations on limited terminals.

use ratatui::style::Color;
use skirmish_rules::Both;
use skirmish_store::Theme;

/// The colours of a theme.
pub(super) struct Colors {
    /// The background; the terminal's own if it is [`OWN`].
    pub(super) ground: Swatch,
    pub(super) text: Swatch,
    /// The colour of less important text; if `None`, such text is dimmed.
    pub(super) faint: Option<Swatch>,
    pub(super) alarm: Swatch,
    pub(super) good: Swatch,
    pub(super) bad: Swatch,
    pub(super) sides: Both<Swatch>,
    /// Shades of a map from weak to strong.
    pub(super) shades: Both<[Swatch; 3]>,
    /// The colours of the stage; `None` if figures have only the colour of their side.
    pub(super) painting: Option<Painting>,
}

/// The colours of the stage.
#[derive(Clone, Copy)]
pub(super) struct Painting {
    /// For each side, the colours of highlights and shades. Everything else has the side's usual colour.
    pub(super) sides: Both<[Swatch; 2]>,
    pub(super) outline: Swatch,
    pub(super) neutral: Swatch,
    /// The colours of sky, hills and road; `None` on an unknown background.
    pub(super) grounds: Option<[Swatch; 3]>,
}

/// A colour, and its replacement on terminals with sixteen colours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swatch {
    full: Color,
    sixteen: Color,
}

impl Swatch {
    /// The colour to use at a colour depth.
    pub(super) fn at(self, depth: super::Depth) -> Color {
        match depth {
            super::Depth::None => Color::Reset,
            super::Depth::Sixteen => self.sixteen,
            super::Depth::Many => nearest(self.full),
            super::Depth::True => self.full,
        }
    }
}

/// The colour `0xRRGGBB`.
#[allow(clippy::cast_possible_truncation)] // each byte on its own
const fn hex(code: u32, sixteen: Color) -> Swatch {
    Swatch { full: Color::Rgb((code >> 16) as u8, (code >> 8) as u8, code as u8), sixteen }
}

const fn indexed(number: u8, sixteen: Color) -> Swatch {
    Swatch { full: Color::Indexed(number), sixteen }
}

/// Three shades that look alike on terminals with sixteen colours.
const fn shades(codes: [u32; 3], sixteen: Color) -> [Swatch; 3] {
    let [weak, middling, strong] = codes;
    [hex(weak, sixteen), hex(middling, sixteen), hex(strong, sixteen)]
}

/// One of the terminal's own sixteen colours.
const fn named(color: Color) -> Swatch {
    Swatch { full: color, sixteen: color }
}

/// The terminal's default text or background colour.
const OWN: Swatch = named(Color::Reset);

impl Colors {
    pub(super) const fn of(theme: Theme) -> &'static Self {
        match theme {
            Theme::Default => &DEFAULT,
            Theme::Dark => &DARK,
            Theme::Light => &LIGHT,
            Theme::HighContrast => &HIGH_CONTRAST,
            Theme::Terminal | Theme::Monochrome => &TERMINAL,
        }
    }

    /// The background and the colours of text.
    #[cfg(test)]
    pub(super) fn inks(&self) -> impl Iterator<Item = Swatch> + '_ {
        let Self { ground, text, faint, alarm, good, bad, sides, shades, painting: _ } = self;
        let single = [*ground, *text, *alarm, *good, *bad, sides.one, sides.two];
        single.into_iter().chain(*faint).chain(shades.one).chain(shades.two)
    }

    #[cfg(test)]
    pub(super) fn all(&self) -> impl Iterator<Item = Swatch> + '_ {
        let painted = self.painting.into_iter().flat_map(|painting| {
            let Painting { sides, outline, neutral, grounds } = painting;
            let sides = sides.one.into_iter().chain(sides.two);
            sides.chain([outline, neutral]).chain(grounds.into_iter().flatten())
        });
        self.inks().chain(painted)
    }
}

/// Uses the terminal's own background. Every colour has a contrast of at least 3:1 to both black and white.
static DEFAULT: Colors = Colors {
    ground: OWN,
    text: OWN,
    faint: None,
    alarm: indexed(196, Color::LightRed),
    good: indexed(30, Color::Cyan),
    bad: indexed(169, Color::LightMagenta),
    sides: Both::new(indexed(33, Color::LightBlue), indexed(166, Color::Yellow)),
    shades: Both::new(
        [
            indexed(67, Color::LightBlue),
            indexed(33, Color::LightBlue),
            indexed(27, Color::LightBlue),
        ],
        [indexed(136, Color::Yellow), indexed(166, Color::Yellow), indexed(202, Color::Yellow)],
    ),
    painting: Some(Painting {
        sides: Both::new(
            [indexed(117, Color::LightBlue), indexed(25, Color::LightBlue)],
            [indexed(215, Color::Yellow), indexed(130, Color::Yellow)],
        ),
        outline: indexed(16, Color::Black),
        neutral: indexed(245, Color::Gray),
        grounds: None,
    }),
};

static DARK: Colors = Colors {
    ground: hex(0x0016_1b22, Color::Black),
    text: hex(0x00d5_dae1, Color::Gray),
    faint: Some(hex(0x009a_a4b0, Color::Gray)),
    alarm: hex(0x00ff_7b72, Color::LightRed),
    good: hex(0x0045_c4b0, Color::LightCyan),
    bad: hex(0x00e5_82c3, Color::LightMagenta),
    sides: Both::new(hex(0x0058_a6ff, Color::LightBlue), hex(0x00f2_8c38, Color::Yellow)),
    shades: Both::new(
        shades([0x008f_b3dc, 0x0058_a6ff, 0x003f_8fff], Color::LightBlue),
        shades([0x00d9_b08c, 0x00f2_8c38, 0x00ff_7a1a], Color::Yellow),
    ),
    painting: Some(Painting {
        sides: Both::new(
            [hex(0x00a5_d0ff, Color::LightBlue), hex(0x002f_6db8, Color::LightBlue)],
            [hex(0x00ff_c38f, Color::Yellow), hex(0x00a8_5a17, Color::Yellow)],
        ),
        outline: hex(0x000b_1220, Color::Black),
        neutral: hex(0x00c9_d1d9, Color::Gray),
        grounds: Some([
            hex(0x000f_141b, Color::Black),
            hex(0x0016_1c25, Color::Black),
            hex(0x001e_2631, Color::Black),
        ]),
    }),
};

static LIGHT: Colors = Colors {
    ground: hex(0x00fc_fcfa, Color::White),
    text: hex(0x001f_2933, Color::Black),
    faint: Some(hex(0x0055_606c, Color::DarkGray)),
    alarm: hex(0x00b3_1d28, Color::Red),
    good: hex(0x000b_6e66, Color::DarkGray),
    bad: hex(0x0099_2b78, Color::Magenta),
    sides: Both::new(hex(0x001f_5fbf, Color::Blue), hex(0x00b4_530a, Color::Red)),
    shades: Both::new(
        shades([0x004a_6fa5, 0x001f_5fbf, 0x000b_3f8f], Color::Blue),
        shades([0x008c_6239, 0x00b4_530a, 0x008a_3a00], Color::Red),
    ),
    painting: Some(Painting {
        sides: Both::new(
            [hex(0x005a_93e6, Color::Blue), hex(0x0012_3e82, Color::Blue)],
            [hex(0x00dd_7d33, Color::Red), hex(0x007c_3806, Color::Red)],
        ),
        outline: hex(0x0010_1820, Color::Black),
        neutral: hex(0x006b_7680, Color::DarkGray),
        grounds: Some([
            hex(0x00f4_f5f1, Color::White),
            hex(0x00e9_ebe5, Color::White),
            hex(0x00dc_dfd7, Color::White),
        ]),
    }),
};

static HIGH_CONTRAST: Colors = Colors {
    ground: indexed(16, Color::Black),
    text: indexed(231, Color::White),
    faint: Some(indexed(231, Color::White)),
    alarm: indexed(217, Color::LightRed),
    good: indexed(46, Color::LightGreen),
    bad: indexed(213, Color::LightMagenta),
    sides: Both::new(indexed(51, Color::LightCyan), indexed(226, Color::LightYellow)),
    shades: Both::new([indexed(51, Color::LightCyan); 3], [indexed(226, Color::LightYellow); 3]),
    painting: Some(Painting {
        sides: Both::new([indexed(51, Color::LightCyan); 2], [indexed(226, Color::LightYellow); 2]),
        outline: indexed(16, Color::Black),
        neutral: indexed(231, Color::White),
        grounds: None,
    }),
};

/// Uses only the terminal's own text, background and sixteen colours.
static TERMINAL: Colors = Colors {
    ground: OWN,
    text: OWN,
    faint: None,
    alarm: named(Color::LightRed),
    good: named(Color::Green),
    bad: named(Color::Magenta),
    sides: Both::new(named(Color::LightBlue), named(Color::Yellow)),
    shades: Both::new([named(Color::LightBlue); 3], [named(Color::Yellow); 3]),
    painting: None,
};

/// The component levels of the 6×6×6 colour cube within the 256 colours.
const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// The nearest of the 256 colours, excluding the first sixteen, which differ between terminals.
fn nearest(color: Color) -> Color {
    let Color::Rgb(red, green, blue) = color else { return color };
    let wanted = [red, green, blue];
    let distance = |number: &u8| {
        let apart = |(one, two): (u8, u8)| u32::from(one.abs_diff(two)).pow(2);
        components(*number).into_iter().zip(wanted).map(apart).sum::<u32>()
    };
    Color::Indexed((16..=255).min_by_key(distance).expect("there are 240 colours"))
}

/// The red, green and blue components of one of the 256 colours, excluding the first sixteen.
const fn components(number: u8) -> [u8; 3] {
    if number >= 232 {
        return [8 + 10 * (number - 232); 3];
    }
    let at = number - 16;
    [LEVELS[at as usize / 36], LEVELS[at as usize / 6 % 6], LEVELS[at as usize % 6]]
}

/// The red, green and blue components; `None` for a colour that the terminal defines.
#[cfg(test)]
pub(crate) fn rgb(color: Color) -> Option<[u8; 3]> {
    match color {
        Color::Rgb(red, green, blue) => Some([red, green, blue]),
        Color::Indexed(number) if number >= 16 => Some(components(number)),
        _ => None,
    }
}

/// The contrast ratio of two colours, from 1 to 21, as defined by WCAG.
#[cfg(test)]
pub(crate) fn contrast(one: [u8; 3], two: [u8; 3]) -> f64 {
    let luminance = |color: [u8; 3]| {
        let linear = color.map(|byte| {
            let share = f64::from(byte) / 255.0;
            if share <= 0.040_45 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    };
    let (one, two) = (luminance(one) + 0.05, luminance(two) + 0.05);
    one.max(two) / one.min(two)
}

#[cfg(test)]
mod tests {
    use super::super::Depth;
    use super::*;

    fn contrasts(theme: Theme, depth: Depth) -> Vec<(Color, f64)> {
        let colors = Colors::of(theme);
        let ground = rgb(colors.ground.at(depth)).expect("the theme has a ground");
        let inks = colors.inks().map(|swatch| swatch.at(depth));
        let inks = inks.filter(|color| *color != colors.ground.at(depth));
        inks.map(|ink| (ink, contrast(rgb(ink).expect("a fixed colour"), ground))).collect()
    }

    #[test]
    fn every_ink_of_a_fixed_theme_can_be_read() {
        for (theme, least) in [(Theme::Dark, 4.5), (Theme::Light, 4.5), (Theme::HighContrast, 7.0)]
        {
            for depth in [Depth::Many, Depth::True] {
                for (ink, contrast) in contrasts(theme, depth) {
                    assert!(contrast >= least, "{theme:?} {depth:?} {ink:?}: {contrast:.2}");
                }
            }
        }
    }

    #[test]
    fn figures_stand_out_from_the_painted_ground() {
        for colors in [&DARK, &LIGHT] {
            let painting = colors.painting.expect("it is painted");
            let figures = [colors.sides.one, colors.sides.two, painting.neutral];
            let [figures, grounds] = [figures, painting.grounds.expect("it has grounds")]
                .map(|swatches| swatches.map(|it| rgb(it.full).expect("a fixed colour")));
            for (figure, ground) in
                figures.iter().flat_map(|it| grounds.map(|ground| (*it, ground)))
            {
                let contrast = contrast(figure, ground);
                assert!(contrast >= 3.0, "{figure:?} on {ground:?}: {contrast:.2}");
            }
        }
    }

    #[test]
    fn the_default_theme_can_be_read_on_black_and_on_white() {
        for swatch in DEFAULT.inks() {
            let Some(ink) = rgb(swatch.at(Depth::Many)) else { continue };
            for ground in [[0; 3], [255; 3]] {
                let contrast = contrast(ink, ground);
                assert!(contrast >= 3.0, "{swatch:?} on {ground:?}: {contrast:.2}");
            }
        }
    }

    #[test]
    fn the_terminals_own_theme_names_no_shade() {
        for depth in [Depth::Sixteen, Depth::Many, Depth::True] {
            assert!(TERMINAL.all().all(|swatch| rgb(swatch.at(depth)).is_none()));
        }
    }

    #[test]
    fn the_nearest_of_256_colours() {
        assert_eq!(nearest(Color::Rgb(255, 135, 0)), Color::Indexed(208));
        assert_eq!(nearest(Color::Rgb(0x16, 0x1b, 0x22)), Color::Indexed(234));
        assert_eq!(nearest(Color::Indexed(33)), Color::Indexed(33));
    }
}
