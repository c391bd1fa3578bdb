//! Signing in and the settings of a host, in the real window, with the system's `ssh` asking through the application.

use rollcall_testkit::sshd::PASSPHRASE;
use rollcall_tests::stage::{ALIAS, Stage};

use crate::accessible::{check, closed, prepared};

#[tokio::test]
async fn b7_a_person_signs_in_and_has_the_systems_ssh_sign_in_too() {
    let stage = Stage::locked();
    let window = prepared(&stage).await;
    window.press(&format!("Add {ALIAS}")).await;
    window.shows("Passphrase of a key file").await;
    check(&window, "a passphrase").await;
    window.write("Passphrase", "wrong").await;
    window.press("Sign in").await;
    window.shows("That was not right").await;
    window.write("Passphrase", PASSPHRASE).await;
    window.press("Sign in").await;
    window.host_is(ALIAS, "idle").await;
    window.go(ALIAS).await;
    window
        .shows(&format!("{ALIAS} is the same machine as This machine."))
        .await;

    // What was done can be read, and a test of the same settings asks for nothing again.
    window.press(&format!("Actions for {ALIAS}")).await;
    window.press("How it was reached…").await;
    window.shows("with the key of").await;
    check(&window, "how a host was reached").await;
    window.escape().await;
    window.press(&format!("Actions for {ALIAS}")).await;
    window.press("Settings…").await;
    window.press("Test the connection").await;
    window.shows("It can be reached.").await;
    check(&window, "the settings of a host").await;

    // The system's ssh runs this very application to ask.
    window.choose("Connection", "System OpenSSH").await;
    window.press("Save").await;
    window.shows(&format!("ssh asks, for {ALIAS}")).await;
    check(&window, "a question of ssh").await;
    window
        .find("//input[@type='password']")
        .await
        .send_keys(PASSPHRASE)
        .await
        .unwrap();
    window.press("Sign in").await;
    window.host_is(ALIAS, "idle").await;
    closed(window).await;

    // Nobody was there at the next start, so nobody is asked.
    let window = super::window(&stage).await;
    window.host_is(ALIAS, "needsYou").await;
    window.go(ALIAS).await;
    window.shows("needs you to sign in").await;
    window.press("Sign in…").await;
    window.shows(&format!("ssh asks, for {ALIAS}")).await;
    window.press("Cancel").await;
    window.host_is(ALIAS, "needsYou").await;
    window.close().await;
}
