//! Strongly connected components.

const UNSEEN: usize = usize::MAX;

/// The component of each state, by Tarjan's algorithm without recursion. `follow(state, nth)` returns a state's `nth`
/// successor. Components are numbered so that every step stays in its component or leads to one with a smaller number.
pub(crate) fn strong_components(
    size: usize,
    follow: impl Fn(usize, usize) -> Option<usize>,
) -> Vec<usize> {
    let (mut order, mut low) = (vec![UNSEEN; size], vec![0; size]);
    let mut part = vec![UNSEEN; size];
    let (mut stack, mut path) = (Vec::new(), Vec::new());
    let (mut counter, mut parts) = (0, 0);
    for root in 0..size {
        if order[root] != UNSEEN {
            continue;
        }
        path.push((root, 0));
        while let Some((state, at)) = path.pop() {
            if at == 0 {
                order[state] = counter;
                low[state] = counter;
                counter += 1;
                stack.push(state);
            }
            if let Some(next) = follow(state, at) {
                path.push((state, at + 1));
                if order[next] == UNSEEN {
                    path.push((next, 0));
                } else if part[next] == UNSEEN {
                    low[state] = low[state].min(order[next]);
                }
                continue;
            }
            if let Some(&(parent, _)) = path.last() {
                low[parent] = low[parent].min(low[state]);
            }
            if low[state] == order[state] {
                while let Some(member) = stack.pop() {
                    part[member] = parts;
                    if member == state {
                        break;
                    }
                }
                parts += 1;
            }
        }
    }
    part
}
