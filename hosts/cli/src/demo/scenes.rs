//! What the demo shows.

use policy_core::End;

use super::server::Reply;

/// One request, what the server answers, what happens beside it, and how it has to end.
pub(super) struct Scene {
    pub(super) title: &'static str,
    pub(super) request: Asked,
    pub(super) replies: &'static [Reply],
    pub(super) twist: Twist,
    pub(super) end: End,
}

/// The request of a scene.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    Get,
    Post,
    /// With an idempotency key that the server honours.
    PostWithKey,
}

/// What happens beside a request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Twist {
    Nothing,
    /// The caller cancels in the middle of a wait.
    Cancel,
    /// Somebody else signs in, in the middle of a wait.
    SignIn,
    /// Somebody else signs in just as the answer arrives.
    SignInOnArrival,
}

impl Twist {
    /// What happens, for the timeline.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Cancel => "the caller cancels",
            Self::SignIn | Self::SignInOnArrival => "somebody else signs in",
        }
    }
}

const OK: Reply = Reply { status: 200, retry_after: None };
const BUSY: Reply = Reply { status: 503, retry_after: None };
const BUSY_FOR_30_S: Reply = Reply { status: 503, retry_after: Some("30") };

/// In the order in which they are shown.
pub(super) const SCENES: [Scene; 7] = [
    Scene {
        title: "a server that is busy twice: never earlier than it asked",
        request: Asked::Get,
        replies: &[BUSY, Reply { status: 429, retry_after: Some("1") }, OK],
        twist: Twist::Nothing,
        end: End::Success,
    },
    Scene {
        title: "a cancel in the middle of a wait: it ends at once",
        request: Asked::Get,
        replies: &[BUSY_FOR_30_S],
        twist: Twist::Cancel,
        end: End::Cancelled,
    },
    Scene {
        title: "somebody else signs in during a wait: the old request is over",
        request: Asked::Get,
        replies: &[BUSY_FOR_30_S],
        twist: Twist::SignIn,
        end: End::SessionChanged,
    },
    Scene {
        title: "somebody else signs in as the answer arrives: even a success is withheld",
        request: Asked::Get,
        replies: &[OK],
        twist: Twist::SignInOnArrival,
        end: End::SessionChanged,
    },
    Scene {
        title: "a server that is away for a day: deferred, neither cut short nor slept through",
        request: Asked::Get,
        replies: &[Reply { status: 503, retry_after: Some("86400") }],
        twist: Twist::Nothing,
        end: End::Deferred,
    },
    Scene {
        title: "a POST without a key: not repeated, whatever the server says",
        request: Asked::Post,
        replies: &[Reply { status: 503, retry_after: Some("0") }],
        twist: Twist::Nothing,
        end: End::NotIdempotent,
    },
    Scene {
        title: "the same POST with a key that the server honours: repeated under the same key",
        request: Asked::PostWithKey,
        replies: &[BUSY, Reply { status: 201, retry_after: None }],
        twist: Twist::Nothing,
        end: End::Success,
    },
];
