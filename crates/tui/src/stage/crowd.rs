//! Places labels side by side, each as near to its place as the others allow.

/// The desired location of a figure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish {
    /// The desired column of the figure's centre.
    pub(super) centre: i32,
    pub(super) width: i32,
}

/// A group of adjacent figures that touch each other.
struct Cluster {
    left: i32,
    width: i32,
    /// The sum of the left edges of the cluster that its members want.
    wanted: i32,
    members: i32,
}

/// The first column of each figure between two columns, in the same order; `None` if they do not fit, or if a figure would
/// not cover the column it wants.
pub(super) fn arrange(wishes: &[Wish], from: i32, to: i32) -> Option<Vec<i32>> {
    let places = side_by_side(wishes, from, to)?;
    let mut each = wishes.iter().zip(&places);
    each.all(|(wish, left)| (*left..left + wish.width).contains(&wish.centre)).then_some(places)
}

fn side_by_side(wishes: &[Wish], from: i32, to: i32) -> Option<Vec<i32>> {
    let mut clusters: Vec<Cluster> = Vec::new();
    for wish in wishes {
        let wanted = wish.centre - wish.width / 2;
        let mut last = Cluster { left: wanted, width: wish.width, wanted, members: 1 };
        last.settle(from, to)?;
        while let Some(before) = clusters.pop_if(|before| before.left + before.width > last.left) {
            last = Cluster {
                left: 0,
                // The members of `last` stand to the right of `before`.
                wanted: before.wanted + last.wanted - last.members * before.width,
                width: before.width + last.width,
                members: before.members + last.members,
            };
            last.settle(from, to)?;
        }
        clusters.push(last);
    }
    let mut places = Vec::new();
    let mut rest = wishes.iter();
    for cluster in clusters {
        let mut left = cluster.left;
        for wish in rest.by_ref().take(usize::try_from(cluster.members).unwrap_or(0)) {
            places.push(left);
            left += wish.width;
        }
    }
    Some(places)
}

impl Cluster {
    fn settle(&mut self, from: i32, to: i32) -> Option<()> {
        if self.width > to - from {
            return None;
        }
        self.left = (self.wanted / self.members).clamp(from, to - self.width);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(wishes: &[(i32, i32)]) -> Option<Vec<i32>> {
        let wishes: Vec<Wish> =
            wishes.iter().map(|&(centre, width)| Wish { centre, width }).collect();
        arrange(&wishes, 0, 40)
    }

    #[test]
    fn who_has_room_stands_where_it_wants() {
        assert_eq!(placed(&[(5, 6), (20, 6), (35, 6)]), Some(vec![2, 17, 32]));
        assert_eq!(placed(&[]), Some(vec![]));
    }

    #[test]
    fn neighbours_give_way_alike_and_stay_inside() {
        assert_eq!(placed(&[(18, 10), (22, 10)]), Some(vec![10, 20]));
        assert_eq!(placed(&[(1, 10), (39, 10)]), Some(vec![0, 30]));
    }

    #[test]
    fn nobody_stands_beside_the_place_it_wants() {
        assert_eq!(placed(&[(20, 30), (22, 30)]), None, "they do not fit");
        assert_eq!(placed(&[(20, 10), (20, 10), (20, 10), (20, 10)]), None);
    }
}
