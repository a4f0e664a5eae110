//! Tests of the clocks of players whose node hangs.

use skirmish_room::{
    AccountId, Cluster, Host, HostEvent, HostInput, Logged, Outage, Request, Room, RoomEvent,
    Silence, Terms,
};
use skirmish_rules::GAMES;

use super::{CLOCK, Nodes, attach, cluster};
use crate::seats::terms;

/// A game in which the first player, on node 0, has thought for a second when the node hangs.
fn hung() -> (Nodes, Silence) {
    let mut nodes = Nodes::apart(Terms { clock: CLOCK, ..terms("base-battle") });
    nodes.act(0, 1, "2");
    nodes.act(1, 2, "1");
    nodes.now += 1_000;
    let silence = Silence { since: nodes.now, until: None, node: 0 };
    nodes.now += 4_000;
    nodes.set_silent(1, silence);
    (nodes, silence)
}

#[test]
fn a_player_whose_node_hangs_is_not_charged_when_they_come_back_elsewhere() {
    let (mut nodes, _) = hung();
    nodes.now += 4_000;
    nodes.join(1, 1);
    assert_eq!(nodes.log.last().map(Logged::is_resumption), Some(true));
    nodes.now += skirmish_room::RETURN;
    assert_eq!(nodes.left(1).one, 59_000);
    // Nor are they credited the time they think from then on.
    nodes.now += 30_000;
    nodes.act(1, 1, "1");
    assert_eq!(nodes.left(1).one, 29_000);
}

#[test]
fn a_player_whose_node_hangs_is_not_charged_when_it_goes_on() {
    let (mut nodes, silence) = hung();
    nodes.now += 11_000;
    nodes.wake(0, silence);
    nodes.now += skirmish_room::RETURN;
    assert_eq!(nodes.left(0).one, 59_000);
    assert_eq!(nodes.left(1).one, 59_000);
}

#[test]
fn a_player_whose_turn_began_while_the_node_hung_is_not_charged() {
    let mut nodes = Nodes::apart(Terms { clock: CLOCK, ..terms("base-battle") });
    let silence = Silence { since: nodes.now, until: None, node: 1 };
    nodes.now += 1_000;
    // The announcement is lost: when the node recovers, it reads the move, and the time for an answer is up.
    nodes.is_bus_down = true;
    nodes.act(0, 1, "2");
    nodes.now += 62_000;
    nodes.wake(1, silence);
    assert!(nodes.log.last().expect("a move").is_resumption());
}

/// Regression: the node that went on still had the player's old connection, and gave back the time used on the other node.
#[test]
fn a_node_that_goes_on_excuses_nobody_who_has_come_back_elsewhere() {
    for (has_moved, has_left, is_lost) in [
        (false, false, false),
        (false, false, true),
        (true, false, false),
        (true, false, true),
        (true, true, false),
    ] {
        let (mut nodes, silence) = hung();
        let act = |nodes: &mut Nodes, account: AccountId| {
            let v = nodes.log.len() as u64;
            let request = Request::Act { v, text: "1".to_owned() };
            nodes.send(1, account, v, request);
            nodes.settle_alone(1);
            assert_eq!(nodes.log.len() as u64, v + 1);
        };
        nodes.now += 2_500;
        nodes.enter(1, attach(1, 1));
        nodes.settle_alone(1);
        assert_eq!(nodes.log.last().map(Logged::is_resumption), Some(true));
        nodes.now += skirmish_room::RETURN;
        if has_moved {
            act(&mut nodes, 1);
            act(&mut nodes, 2);
        }
        nodes.now += 6_000;
        if has_left {
            nodes.enter(1, HostInput::Detach { connection: 1 });
            nodes.settle_alone(1);
        }
        if is_lost {
            // The bus is not back, so only the log shows a player who has moved.
            nodes.list[0].heard.clear();
            nodes.is_bus_down = has_moved;
        }
        let v = nodes.log.len();
        nodes.wake(0, silence);
        nodes.enter(0, HostInput::Detach { connection: 1 });
        nodes.settle();
        assert_eq!(nodes.log.len(), v, "{has_moved} {has_left} {is_lost}");
        assert_eq!((nodes.left(0).one, nodes.left(1).one), (52_000, 52_000));
    }
}

/// Regression: a player who had never been connected to the node was given time.
#[test]
fn a_node_that_goes_on_excuses_nobody_who_comes_later() {
    let (mut nodes, silence) = hung();
    nodes.list[1].cluster.silent.clear();
    nodes.now += 20_000;
    nodes.act(1, 1, "1");
    let v = nodes.log.len();
    // Player 2, whose turn it is, leaves the other node and comes to this one soon after it has gone on.
    nodes.enter(1, HostInput::Detach { connection: 2 });
    nodes.now += 30_000;
    nodes.wake(0, Silence { since: nodes.now - 15_000, ..silence });
    nodes.join(0, 2);
    nodes.now += 5_000;
    nodes.enter(0, HostInput::Tick);
    nodes.settle();
    assert_eq!(nodes.log.len(), v, "{:?}", nodes.log.last());
}

/// Regression: the node that went on did not know the account that the guest had signed in to on the other node.
#[test]
fn a_node_that_goes_on_excuses_nobody_who_has_signed_in_elsewhere() {
    let (mut nodes, silence) = hung();
    let sign_in = |account: &mut AccountId| *account = if *account == 1 { 8 } else { *account };
    for logged in &mut nodes.log {
        if let RoomEvent::Created { creator: person, .. } | RoomEvent::Seated { person } =
            &mut logged.event
        {
            sign_in(&mut person.account);
        }
        logged.by.iter_mut().for_each(|by| sign_in(&mut by.account));
    }
    nodes.enter(1, HostInput::Reload);
    nodes.settle_alone(1);
    nodes.enter(1, attach(8, 8));
    nodes.settle_alone(1);
    assert_eq!(nodes.log.last().map(Logged::is_resumption), Some(true));
    nodes.now += skirmish_room::RETURN + 6_000;
    let v = nodes.log.len();
    nodes.set_silent(0, Silence { until: Some(nodes.now), ..silence });
    nodes.enter(0, HostInput::Reload);
    nodes.settle();
    nodes.now += 1_000;
    nodes.enter(0, HostInput::Tick);
    nodes.settle();
    assert_eq!(nodes.log.len(), v, "{:?}", nodes.log.last());
}

#[test]
fn a_move_on_a_node_that_goes_on_waits_until_its_player_is_excused() {
    let (mut nodes, silence) = hung();
    nodes.now += 4_000;
    nodes.list[0].cluster.silent = vec![Silence { until: Some(nodes.now), ..silence }];
    nodes.act(0, 1, "1");
    assert_eq!(nodes.list[0].host.due(&nodes.list[0].cluster), Some(nodes.now + 1_000));
    assert!(nodes.acknowledged(0, nodes.messages).is_empty());
    nodes.now += 1_000;
    nodes.enter(0, HostInput::Tick);
    nodes.settle();
    assert_eq!(nodes.acknowledged(0, nodes.messages), [nodes.log.len() as u64]);
    assert_eq!(nodes.left(0).one, 59_000);
}

#[test]
fn a_flag_waits_for_a_player_whose_node_hangs_but_not_for_ever() {
    let (mut nodes, silence) = hung();
    let turn = silence.since - 1_000;
    nodes.now = turn + 61_000 + skirmish_room::GRACE - 1;
    nodes.enter(1, HostInput::Tick);
    nodes.settle();
    assert!(nodes.list[1].host.room().end().is_none());
    nodes.now += 1;
    assert_eq!(nodes.list[1].host.due(&nodes.list[1].cluster), Some(nodes.now));
    nodes.enter(1, HostInput::Tick);
    nodes.settle();
    assert!(matches!(nodes.log.last().expect("it ends").event, RoomEvent::Flagged { .. }));
}

#[test]
fn the_clocks_go_on_once_for_a_player_who_is_back() {
    let (mut nodes, _) = hung();
    nodes.join(1, 1);
    // A move is handled immediately after the game resumes.
    nodes.act(1, 1, "1");
    nodes.act(1, 1, "1");
    let resumed = nodes.log.iter().filter(|logged| logged.is_resumption()).count();
    assert_eq!(resumed, 1);
}

#[test]
fn an_outage_does_not_charge_a_player_whose_node_failed_before_it() {
    let (mut nodes, _) = hung();
    let began = nodes.now;
    nodes.now += 5_000;
    nodes.list[1].cluster.outage = Outage { id: 1, began, ended: nodes.now };
    nodes.enter(1, HostInput::Tick);
    nodes.settle();
    assert_eq!(nodes.left(1).one, 59_000 + skirmish_room::RETURN);
}

#[test]
fn no_flag_waits_once_the_game_goes_on() {
    let (mut nodes, silence) = hung();
    nodes.now += 11_000;
    nodes.wake(0, silence);
    let due = nodes.list[0].host.room().due();
    assert_eq!(due, Some(nodes.now + skirmish_room::RETURN + 59_000 + 1_000));
}

#[test]
fn an_old_silence_does_not_hide_another_one() {
    let mut nodes = Nodes::new(2, Terms { clock: CLOCK, ..terms("base-battle") });
    nodes.join(1, 2);
    nodes.act(1, 1, "2");
    nodes.act(1, 2, "1");
    let log = nodes.log.clone();
    nodes.now += 4_000;
    let old = Silence { since: 1, until: Some(500), node: 3 };
    let silent = vec![old, Silence { since: 1_500, until: None, node: 0 }];
    let fresh = Cluster { silent, ..cluster(1, nodes.now) };
    let mut host = Host::new(Room::fold(GAMES, &log).expect("the log folds"), nodes.now, &fresh);
    let effects = host.handle(nodes.now, &fresh, HostEvent::Input(HostInput::Tick));
    effects.expect("the log fits");
    let deadline = 1_000 + 60_000 + 1_000 + skirmish_room::GRACE;
    assert_eq!(host.room().due(), Some(deadline), "the player may be on the node that hangs");
}
