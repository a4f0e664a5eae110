//! Highlights the positions found by a query on a map.

use skirmish_play::Solved;
use skirmish_rules::counted;
use skirmish_solver::Bits;

use super::picture::{Fill, Key, Panel, Picture, Sheet, Tile, Tone};

/// The positions found by a query.
pub(super) struct Highlight<'a> {
    pub(super) solved: &'a Solved,
    pub(super) nodes: &'a Bits,
    pub(super) query: String,
}

impl Highlight<'_> {
    /// Highlights the tiles of the found positions and dims the others. Panels about a single position are left out.
    pub(super) fn highlighted(&self, mut picture: Picture) -> Picture {
        let has_tiles = picture.columns.iter().flatten().any(|panel| match panel {
            Panel::Sheet(sheet) => sheet.tiles.iter().flatten().any(|tile| tile.position.is_some()),
            Panel::Bars(_) => false,
        });
        let found = self.nodes.count() as u64;
        let all = counted(self.solved.reached().count() as u64, "position");
        let sentence = format!("{found} of {all}: {}.", self.query);
        if !has_tiles {
            // A census counts only the found positions.
            picture.notes.insert(0, sentence);
            return picture;
        }
        for panels in &mut picture.columns {
            panels.retain(|panel| matches!(panel, Panel::Sheet(_)));
            for panel in panels {
                if let Panel::Sheet(sheet) = panel {
                    self.mark(sheet);
                }
            }
        }
        picture.columns.retain(|panels| !panels.is_empty());
        picture.legend.retain(|key| !key.is_marked);
        picture.legend.insert(0, Key::new("", Tone::Other, "can arise, not found", "other"));
        picture.legend.insert(0, Key::mark("found"));
        picture.notes = vec![sentence];
        picture
    }

    fn mark(&self, sheet: &mut Sheet) {
        for tile in sheet.tiles.iter_mut().flatten() {
            tile.is_marked = self.has(tile);
            if !tile.is_marked && tile.position.is_some() {
                tile.spoken = None;
                tile.fill = Fill::Whole(Tone::Other);
            }
        }
    }

    fn has(&self, tile: &Tile) -> bool {
        let node = tile.position.as_deref().and_then(|it| self.solved.graph().find(it).ok()?);
        node.is_some_and(|node| self.nodes.contains(node))
    }
}
