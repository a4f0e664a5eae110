//! A map on which only the positions that a query finds stand out.

use skirmish_play::Solved;
use skirmish_rules::counted;
use skirmish_solver::Bits;

use super::picture::{Fill, Key, Panel, Picture, Sheet, Tile, Tone};

/// The positions that a query finds.
pub(super) struct Found<'a> {
    pub(super) solved: &'a Solved,
    pub(super) nodes: &'a Bits,
    pub(super) query: String,
}

impl Found<'_> {
    /// Marks the tiles of the found positions and dims the others. What belongs to a single position is left out.
    pub(super) fn highlighted(&self, mut picture: Picture) -> Picture {
        let has_tiles = picture.columns.iter().flatten().any(|panel| match panel {
            Panel::Sheet(sheet) => sheet.tiles.iter().flatten().any(|tile| tile.position.is_some()),
            Panel::Bars(_) => false,
        });
        let found = self.nodes.count() as u64;
        let all = counted(self.solved.reached().count() as u64, "position");
        let sentence = format!("{found} of {all}: {}.", self.query);
        if !has_tiles {
            // This map counts, and counts only what was found.
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
