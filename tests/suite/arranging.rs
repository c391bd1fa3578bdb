//! What people arrange for themselves: groups, views, colours, settings; and what becomes of what is missing.

use std::collections::HashMap;
use std::fs;

use rollcall_api::wire::{
    Actor, AnnotationForm, AnnotationPatch, Colour, ColourChoice, GroupRef, JournalFilter,
    MemberForm, MergedKind, OrderForm, Overview, Preferences, PresenceKind, Theme, WorkspaceRef,
};
use rollcall_api::{App, ErrorCode, Event, Events};
use rollcall_tests::stage::{Bench, local, row, rows, settled, text, until};

/// A bench with a repository and two worktrees, `left` and `right`, that the back end knows.
async fn harbour() -> (Bench, App, Events) {
    let bench = Bench::new();
    let harbour = bench.play.repo("code/harbour").unwrap();
    for name in ["left", "right"] {
        let path = format!("code/{name}");
        harbour.worktree(path, name).unwrap();
    }
    let path = text(harbour.path());
    let (app, events) = bench.app().await;
    let here = local(&app).await;
    app.register(here, path).await.unwrap();
    settled(&app).await;
    (bench, app, events)
}

/// The last overview that was announced, once one says something.
async fn announced(events: &mut Events, says: impl Fn(&Overview) -> bool) -> Overview {
    let wait = async {
        loop {
            match events.recv().await.unwrap() {
                Event::OverviewChanged(overview) if says(&overview) => return overview,
                _ => {}
            }
        }
    };
    tokio::time::timeout(rollcall_tests::PATIENCE, wait)
        .await
        .unwrap()
}

/// Takes a worktree off the disk and off its repository's list, and waits until that is known.
async fn lose(bench: &Bench, app: &App, name: &str) {
    fs::remove_dir_all(bench.play.at(format!("code/{name}"))).unwrap();
    let harbour = bench.play.existing("code/harbour");
    harbour.git(["worktree", "prune"]).unwrap();
    app.sync_now(None).await.unwrap();
    until("what is missing", || async {
        (row(app, name).await.presence == PresenceKind::Missing).then_some(())
    })
    .await;
}

#[tokio::test]
async fn groups_views_and_settings_are_announced_when_they_change() {
    let (bench, app, mut events) = harbour().await;
    let before = app.overview().await.unwrap();
    assert_eq!((before.groups.len(), before.views.len()), (0, 0));
    assert_eq!(before.preferences, Preferences::default());
    let work = app.add_group("Work".to_owned(), None).await.unwrap();
    announced(&mut events, |it| it.groups.len() == 1).await;
    let deep = app.add_group("Deep".to_owned(), Some(work)).await.unwrap();
    let later = app.add_group("Later".to_owned(), None).await.unwrap();
    app.arrange_groups(None, vec![later]).await.unwrap();
    let shown = announced(&mut events, |it| {
        it.groups.first().is_some_and(|it| it.id == later)
    })
    .await;
    let groups: Vec<(GroupRef, Option<GroupRef>)> =
        shown.groups.iter().map(|it| (it.id, it.parent)).collect();
    assert_eq!(groups, [(later, None), (work, None), (deep, Some(work))]);
    let refused = app.arrange_groups(Some(deep), vec![later]).await;
    assert_eq!(refused.unwrap_err().code, ErrorCode::InvalidInput);
    app.rename_group(later, "Some day".to_owned())
        .await
        .unwrap();
    app.remove_group(work).await.unwrap();
    let shown = announced(&mut events, |it| it.groups.len() == 2).await;
    assert_eq!(
        (shown.groups[0].name.as_str(), shown.groups[1].parent),
        ("Some day", None)
    );

    let (name, definition) = ("Dirty".to_owned(), r#"{"is":"dirty"}"#.to_owned());
    let view = app.save_view(None, name, definition.clone()).await.unwrap();
    let shown = announced(&mut events, |it| !it.views.is_empty()).await;
    assert_eq!(shown.views[0].definition, definition);
    let second = app
        .save_view(None, "Old".to_owned(), "{}".to_owned())
        .await
        .unwrap();
    app.arrange_views(vec![second, view]).await.unwrap();
    announced(&mut events, |it| {
        it.views.first().is_some_and(|it| it.id == second)
    })
    .await;
    app.remove_view(second).await.unwrap();
    let refused = app.remove_view(second).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::NotFound);

    let set = Preferences {
        theme: Theme::Dark,
        guard_days: 30,
        worktree_folder: "~/trees".to_owned(),
        looks: false,
        layout: r#"{"columns":["name"]}"#.to_owned(),
    };
    app.set_preferences(set.clone()).await.unwrap();
    let shown = announced(&mut events, |it| it.preferences.theme == Theme::Dark).await;
    assert_eq!(shown.preferences, set);
    for bad in [
        Preferences {
            guard_days: 3_651,
            ..set.clone()
        },
        Preferences {
            worktree_folder: "trees".to_owned(),
            ..set.clone()
        },
        Preferences {
            worktree_folder: "/a\nb".to_owned(),
            ..set.clone()
        },
        Preferences {
            layout: "x".repeat(16 * 1024 + 1),
            ..set.clone()
        },
    ] {
        let refused = app.set_preferences(bad).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::InvalidInput);
        assert!(!refused.hints.is_empty() && !refused.message.contains("xxx"));
    }
    app.shutdown().await;
    let (app, _events) = bench.app().await;
    assert_eq!(app.overview().await.unwrap().preferences, set);
    app.shutdown().await;
}

#[tokio::test]
async fn rows_show_their_group_their_place_in_it_their_colour_and_what_is_sorted_by() {
    let (_bench, app, _events) = harbour().await;
    let (left, right) = (row(&app, "left").await, row(&app, "right").await);
    assert_eq!((left.group, left.position, left.colour), (None, None, None));
    assert_eq!((left.size, left.stashes), (None, Some(0)));
    assert!(left.active_at.is_some());
    assert_eq!(left.merged, MergedKind::Unknown);
    let group = app.add_group("Work".to_owned(), None).await.unwrap();
    let put = |id| MemberForm {
        id,
        group: Some(group),
    };
    let order = OrderForm {
        group,
        ids: vec![right.id, left.id],
    };
    app.regroup(vec![put(left.id), put(right.id)], vec![order])
        .await
        .unwrap();
    let mark = |id, colour| AnnotationForm {
        id,
        patch: AnnotationPatch {
            colour: Some(colour),
            link: Some("https://example.org/1".to_owned()),
            ..AnnotationPatch::default()
        },
    };
    app.annotate_all(vec![
        mark(left.id, ColourChoice::Red),
        mark(right.id, ColourChoice::Grey),
    ])
    .await
    .unwrap();
    app.measure("m".to_owned(), left.id).await.unwrap();
    let (left, right) = (row(&app, "left").await, row(&app, "right").await);
    assert_eq!(
        (left.group, left.position, left.colour),
        (Some(group), Some(1), Some(Colour::Red))
    );
    assert_eq!(
        (right.position, right.colour),
        (Some(0), Some(Colour::Grey))
    );
    assert!(left.size.unwrap() >= 4, "{:?}", left.size);
    let detail = app.workspace(left.id).await.unwrap();
    assert_eq!(detail.link.as_deref(), Some("https://example.org/1"));
    // One of them is refused: neither is changed.
    let bad = AnnotationPatch {
        link: Some("javascript:alert(1)".to_owned()),
        ..AnnotationPatch::default()
    };
    let bad = AnnotationForm {
        id: right.id,
        patch: bad,
    };
    let refused = app
        .annotate_all(vec![mark(left.id, ColourChoice::None), bad])
        .await;
    assert_eq!(refused.unwrap_err().code, ErrorCode::InvalidInput);
    assert_eq!(row(&app, "left").await.colour, Some(Colour::Red));
    let none = AnnotationPatch {
        colour: Some(ColourChoice::None),
        link: Some(String::new()),
        ..AnnotationPatch::default()
    };
    let detail = app.annotate(left.id, none).await.unwrap();
    assert_eq!((detail.row.colour, detail.link), (None, None));
    let error = app.open_link(left.id).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::NotFound);
    for bad in ["", "file:///etc/passwd", "javascript:alert(1)", "--help"] {
        let error = app.open_address(bad.to_owned()).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidInput, "{bad}");
        assert!(!error.hints.is_empty());
    }
    app.shutdown().await;
}

#[tokio::test]
async fn what_is_merged_is_said_in_the_list_once_somebody_looked() {
    let (bench, app, _events) = harbour().await;
    let open = bench.play.existing("code/left");
    open.commit("file", "two\n", "Not merged").unwrap();
    let merged = bench.play.existing("code/right");
    merged.commit("other", "1\n", "Merged").unwrap();
    let harbour = bench.play.existing("code/harbour");
    harbour.git(["merge", "-q", "--no-ff", "right"]).unwrap();
    app.sync_now(None).await.unwrap();
    settled(&app).await;
    for (name, kind) in [
        ("left", MergedKind::No),
        ("right", MergedKind::Yes),
        ("harbour", MergedKind::No),
    ] {
        until("what is merged", || async {
            let id = row(&app, name).await.id;
            app.look_closer("look".to_owned(), id).await.unwrap();
            (row(&app, name).await.merged == kind).then_some(())
        })
        .await;
    }
    app.shutdown().await;
}

#[tokio::test]
async fn several_are_hidden_and_shown_at_once() {
    let (_bench, app, _events) = harbour().await;
    let ids: Vec<WorkspaceRef> = rows(&app).await.iter().map(|it| it.id).collect();
    app.untrack_all(ids.clone()).await.unwrap();
    assert!(rows(&app).await.iter().all(|it| it.untracked));
    app.retrack_all(ids.clone()).await.unwrap();
    assert!(rows(&app).await.iter().all(|it| !it.untracked));
    let refused = app.untrack_all(vec![ids[0]; 10_001]).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidInput);
    app.shutdown().await;
}

#[tokio::test]
async fn i5_what_is_missing_becomes_another_or_is_forgotten_by_a_person_only() {
    let (bench, app, _events) = harbour().await;
    let (left, right) = (row(&app, "left").await.id, row(&app, "right").await.id);
    let note = |text: &str| AnnotationPatch {
        note: Some(text.to_owned()),
        ..AnnotationPatch::default()
    };
    app.annotate(left, note("Waits for Ines.")).await.unwrap();
    app.annotate(right, note("Mine.")).await.unwrap();
    for refused in [
        app.relink(left, right).await,
        app.forget_missing(vec![left]).await,
    ] {
        assert_eq!(refused.unwrap_err().code, ErrorCode::InvalidInput);
    }
    lose(&bench, &app, "left").await;
    app.relink(left, right).await.unwrap();
    let detail = app.workspace(right).await.unwrap();
    assert_eq!(detail.note, "Mine.\n\nWaits for Ines.");
    assert_eq!(
        app.workspace(left).await.unwrap_err().code,
        ErrorCode::NotFound
    );
    let about = JournalFilter {
        workspace: Some(right),
        actor: Some(Actor::Person),
        ..JournalFilter::default()
    };
    let lines = app.journal(None, about).await.unwrap();
    let words = &lines[0].text;
    assert!(words.contains("code/left became "), "{words}");
    lose(&bench, &app, "right").await;
    app.forget_missing(vec![right]).await.unwrap();
    assert_eq!(rows(&app).await.len(), 1);
    let lines = app.journal(None, about).await.unwrap();
    assert!(lines[0].text.starts_with("Forgot "), "{}", lines[0].text);
    app.shutdown().await;
}

#[tokio::test]
async fn the_journal_says_what_is_new_and_how_much_there_was_each_day() {
    let (bench, app, mut events) = harbour().await;
    let here = local(&app).await;
    let shown = app.overview().await.unwrap();
    assert!(shown.unseen >= 2, "{}", shown.unseen);
    assert_eq!(shown.seen, 0);
    let newest = app.journal(None, JournalFilter::default()).await.unwrap();
    app.journal_seen(newest[0].number).await.unwrap();
    let shown = announced(&mut events, |it| it.seen == newest[0].number).await;
    assert_eq!(shown.unseen, 0);
    // What a person does is not new to them.
    let id = row(&app, "left").await.id;
    app.untrack_all(vec![id]).await.unwrap();
    assert_eq!(app.overview().await.unwrap().unseen, 0);
    app.retrack_all(vec![id]).await.unwrap();
    let harbour = bench.play.existing("code/harbour");
    harbour.worktree("code/third", "third").unwrap();
    app.sync_now(None).await.unwrap();
    let shown = announced(&mut events, |it| it.unseen > 0).await;
    assert_eq!(shown.unseen, 1);

    let by = |actor| JournalFilter {
        host: Some(here),
        actor: Some(actor),
        ..JournalFilter::default()
    };
    let mut lines = HashMap::new();
    for actor in [Actor::RollCall, Actor::Person, Actor::Sweep] {
        let told = app.journal(None, by(actor)).await.unwrap();
        assert!(
            told.iter()
                .all(|it| it.actor == actor && it.host == Some(here))
        );
        lines.insert(format!("{actor:?}"), told.len());
    }
    for (host, weeks) in [(Some(here), 1), (Some(here), 53), (None, 2)] {
        let days = app.journal_days(host, weeks).await.unwrap();
        assert_eq!(days.len(), 7 * weeks as usize);
        assert!(days.is_sorted_by(|a, b| a.day < b.day));
        // Midnight may pass while this runs.
        let sum = |of: fn(&rollcall_api::wire::JournalDay) -> u32| -> usize {
            days.iter().map(|day| of(day) as usize).sum()
        };
        assert_eq!(sum(|day| day.roll_calls), lines["RollCall"]);
        assert!(sum(|day| day.people) >= lines["Person"]);
    }
    for weeks in [0, 54] {
        let refused = app.journal_days(None, weeks).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::InvalidInput);
    }
    app.shutdown().await;
}

#[tokio::test]
async fn words_are_found_in_notes_and_in_subjects_of_commits() {
    let (bench, app, _events) = harbour().await;
    let left = bench.play.existing("code/left");
    left.commit("file", "two\n", "Über die Brücke").unwrap();
    let (left, right) = (row(&app, "left").await.id, row(&app, "right").await.id);
    let note = AnnotationPatch {
        note: Some("Frag ÄNNE.".to_owned()),
        ..AnnotationPatch::default()
    };
    app.annotate(right, note).await.unwrap();
    app.sync_now(None).await.unwrap();
    let asked = ["brücke", "änne", "nowhere"].map(str::to_owned).to_vec();
    until("the new subject", || async {
        let found = app.texts(asked.clone()).await.unwrap();
        (found == [vec![left], vec![right], vec![]]).then_some(())
    })
    .await;
    app.shutdown().await;
}

#[tokio::test]
async fn a_copy_of_the_registry_is_made_when_a_person_asks_for_one() {
    let (_bench, app, _events) = harbour().await;
    let made = app.back_up_now().await.unwrap();
    assert_eq!((made.hosts, made.workspaces), (1, 3));
    app.shutdown().await;
}
