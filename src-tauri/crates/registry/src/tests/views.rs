//! Saved views, and what people set.

use uuid::Uuid;

use super::world::World;
use crate::{RegistryCode, ViewId};

async fn names(world: &World) -> Vec<String> {
    let views = world.registry.views().await.unwrap();
    views.into_iter().map(|view| view.name).collect()
}

#[tokio::test]
async fn views_have_one_name_whatever_its_case_and_the_order_people_gave_them() {
    let world = World::new().await;
    let registry = &world.registry;
    let (dirty, changed) = registry
        .save_view(None, " Dirty ", r#"{"is":"dirty"}"#)
        .await
        .unwrap();
    assert!(changed.views);
    let (old, _) = registry.save_view(None, "Ältere", "{}").await.unwrap();
    registry.arrange_views(&[old]).await.unwrap();
    assert_eq!(names(&world).await, ["Ältere", "Dirty"]);
    for (id, name) in [(None, "ÄLTERE"), (Some(dirty), "ältere")] {
        let error = registry.save_view(id, name, "{}").await.unwrap_err();
        assert_eq!(error.code(), RegistryCode::InvalidInput, "{name}");
    }
    // Its own name in another case is its own, and what is there already is no change.
    let (same, changed) = registry
        .save_view(Some(dirty), "DIRTY", "[]")
        .await
        .unwrap();
    assert_eq!((same, changed.views), (dirty, true));
    let (_, changed) = registry
        .save_view(Some(dirty), "DIRTY", "[]")
        .await
        .unwrap();
    assert!(!changed.views);
    let changed = registry.arrange_views(&[old, dirty]).await.unwrap();
    assert!(!changed.views, "it is as it was");
    let views = registry.views().await.unwrap();
    assert_eq!(
        (views[1].name.as_str(), views[1].definition.as_str()),
        ("DIRTY", "[]")
    );
    registry.remove_view(old).await.unwrap();
    let nowhere = ViewId::new(Uuid::nil());
    for error in [
        registry.remove_view(old).await.unwrap_err(),
        registry
            .save_view(Some(nowhere), "x", "{}")
            .await
            .unwrap_err(),
        registry.arrange_views(&[dirty, nowhere]).await.unwrap_err(),
    ] {
        assert_eq!(error.code(), RegistryCode::NotFound);
    }
    let world = world.restarted().await;
    assert_eq!(names(&world).await, ["DIRTY"]);
}

#[tokio::test]
async fn a_view_beyond_the_limits_is_refused() {
    let world = World::new().await;
    let registry = &world.registry;
    let long = format!("[{}]", "1,".repeat(2_048));
    for (name, definition) in [
        ("", "{}"),
        ("a\nb", "{}"),
        (&"x".repeat(101), "{}"),
        ("a", "{"),
        ("a", ""),
        ("a", long.as_str()),
    ] {
        let error = registry
            .save_view(None, name, definition)
            .await
            .unwrap_err();
        assert_eq!(error.code(), RegistryCode::InvalidInput, "{name}");
        assert!(!error.to_string().contains('\n') && !error.hints().is_empty());
    }
    for n in 0..100 {
        let name = format!("view {n}");
        registry.save_view(None, &name, "{}").await.unwrap();
    }
    let error = registry
        .save_view(None, "one more", "{}")
        .await
        .unwrap_err();
    assert_eq!(error.code(), RegistryCode::InvalidInput);
    let last = registry.views().await.unwrap()[99].id;
    registry
        .save_view(Some(last), "renamed", "{}")
        .await
        .unwrap();
}

#[tokio::test]
async fn what_people_set_is_kept_by_name_and_what_nobody_knows_stays() {
    let world = World::new().await;
    let registry = &world.registry;
    let set = |name, value: &str| [(name, value.to_owned())];
    let changed = registry
        .set_settings(&set("of a later version", r#"{"a":1}"#))
        .await
        .unwrap();
    assert!(changed.settings);
    registry.set_settings(&set("looks", "false")).await.unwrap();
    let again = registry.set_settings(&set("looks", "false")).await.unwrap();
    assert!(!again.settings);
    for bad in [
        set("looks", "no JSON"),
        set("looks", &format!("\"{}\"", "x".repeat(65_536))),
        set("", "1"),
    ] {
        let both = [("first", "1".to_owned()), bad[0].clone()];
        let error = registry.set_settings(&both).await.unwrap_err();
        assert_eq!(error.code(), RegistryCode::InvalidInput);
    }
    let world = world.restarted().await;
    let all = world.registry.settings().await.unwrap();
    assert_eq!(all.get("looks"), Some(false));
    assert_eq!(
        all.get::<serde_json::Value>("of a later version").unwrap()["a"],
        1
    );
    assert_eq!(all.get::<u32>("first"), None, "all of them or none");
    // What is of another form than expected counts as not set.
    assert_eq!(world.registry.setting::<u32>("looks").await.unwrap(), None);
    assert_eq!(world.registry.setting("looks").await.unwrap(), Some(false));
}
