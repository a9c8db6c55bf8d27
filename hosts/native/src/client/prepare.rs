//! What a request of the client is made ready with.

use ::reqwest::Url;
use http::header::AUTHORIZATION;
use policy_core::{IdempotencyKey, Limits, Request};

use super::{
    Invalid, Settings, Shared, address,
    call::Call,
    request::{RequestBuilder, Special},
};
use crate::{
    directory::Origin, engine::Engine, entropy::Entropy, key::Key, nesting::Nesting, options::Options, saved::resumed,
    stamp::Stamp, time::Time,
};

/// A request that is ready to be run.
pub(super) struct Prepared<'a> {
    pub(super) request: Request,
    pub(super) call: Call<'a>,
    pub(super) options: &'a Options,
}

impl<E: Engine, T: Time, X: Entropy> RequestBuilder<'_, E, T, X> {
    pub(super) fn handles(&self) -> &Options {
        handles(self.shared, self.special.as_deref())
    }

    /// Borrows what it can, and leaves the URL in its `place`: each move of what a request consists of costs as much as a
    /// clock read, that of the result too, so it is inlined.
    #[inline(always)]
    pub(super) fn prepare<'r>(&'r mut self, place: &'r mut Option<Url>) -> Result<Prepared<'r>, Invalid> {
        let Shared { driver, http, settings } = self.shared;
        let (url, credentials) = address::read(http, self.url).map_err(Invalid::Url)?;
        if let Some(credentials) = credentials {
            let headers = &mut self.special.get_or_insert_default().headers;
            headers.entry(AUTHORIZATION).or_insert(credentials);
        }
        if let Some(error) = self.special.as_mut().and_then(|special| special.refused.take()) {
            return Err(Invalid::Header(error));
        }
        let special = self.special.as_deref();
        let origin = || {
            let headers = special.map(|special| special.headers.clone());
            Origin::of(&url.as_str().parse().unwrap_or_default(), &headers.unwrap_or_default())
        };
        let budget_key = special.and_then(|special| special.budget_key.as_ref());
        if let Some(filled) = settings.sharing.fill(self.handles(), budget_key, driver.time(), origin) {
            self.special.get_or_insert_default().options = Some(filled);
        }
        let special = self.special.as_deref();
        let (options, key) = (handles(self.shared, special), special.and_then(|special| special.key.as_ref()));
        let request = Request {
            key: if key.is_some() { IdempotencyKey::Honoured } else { IdempotencyKey::Absent },
            replayable: self.body.is_replayable(),
            limits: special.and_then(|special| special.limits).unwrap_or(Limits::NONE),
            ..Request::new(policy_core::Method::from_name(self.method.as_str()))
        };
        let resume = special.and_then(|special| special.resume);
        let request = resume.map_or(request, |resume| resumed(&resume, &request, driver.time()));
        let stamp = settings.stamp(key, options).map(Box::new);
        let (method, text, body) = (&self.method, self.url, &mut self.body);
        let headers = special.map(|special| &special.headers);
        *place = Some(url);
        let call = Call { http, settings, method, text, url: place, headers, body, stamp, data: None };
        Ok(Prepared { request, call, options })
    }
}

/// The handles of a request: its own, or those of its client.
fn handles<'a, E, T, X>(shared: &'a Shared<E, T, X>, special: Option<&'a Special>) -> &'a Options {
    special.and_then(|special| special.options.as_ref()).unwrap_or(&shared.settings.options)
}

impl Settings {
    /// What is written onto each attempt, if anything is.
    fn stamp(&self, key: Option<&Key>, options: &Options) -> Option<Stamp> {
        let Self { key_field, fresh, announces, .. } = self;
        (key.is_some() || fresh.is_some() || *announces).then(|| Stamp {
            key_field: key_field.name.clone(),
            key: key.map(|key| key_field.value(key)),
            fresh: fresh.clone(),
            announces: announces.then(|| options.nesting.clone().unwrap_or_else(Nesting::outermost)),
        })
    }
}
