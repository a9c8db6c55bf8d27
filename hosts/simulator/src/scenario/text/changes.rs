//! A scenario as it is written, changed.

use refrain_document::Document;
use toml::{Table, Value};

use super::File;
use crate::{
    contender::Contender,
    scenario::{Scenario, ScenarioError},
};

/// Reads and checks a scenario with changes to it.
pub(in crate::scenario) fn read_with(text: &str, changes: &str) -> Result<Scenario, ScenarioError> {
    let file: File = merged(text, changes)?.try_into().map_err(unread)?;
    file.check()
}

/// Writes a scenario with changes to it and with these policies.
pub(in crate::scenario) fn write(text: &str, changes: &str, documents: &[Document]) -> Result<String, ScenarioError> {
    let contenders = read_with(text, changes)?.with_policies(documents)?.contenders;
    let keys: Vec<_> =
        documents.iter().enumerate().map(|(at, document)| format!("{}-{}", document.name(), at + 1)).collect();
    let mut table = merged(text, changes)?;
    let mut policies = Table::new();
    for (key, document) in keys.iter().zip(documents) {
        policies.insert(key.clone(), Value::Table(document.to_toml().parse().map_err(unread)?));
    }
    let each = contenders.len() / documents.len();
    let written = contenders.iter().enumerate().map(|(at, contender)| Value::Table(entry(contender, &keys[at / each])));
    table.insert("contender".to_owned(), Value::Array(written.collect()));
    table.insert("policies".to_owned(), Value::Table(policies));
    toml::to_string(&table).map_err(|error| ScenarioError::Text(error.to_string()))
}

fn entry(contender: &Contender, policy: &str) -> Table {
    let tiers = vec![Value::String(policy.to_owned()); contender.tiers()];
    Table::from_iter([
        ("label".to_owned(), Value::String(contender.label().to_owned())),
        ("tiers".to_owned(), Value::Array(tiers)),
        ("nesting".to_owned(), Value::String(contender.nesting().to_string())),
    ])
}

fn merged(text: &str, changes: &str) -> Result<Table, ScenarioError> {
    let mut table: Table = text.parse().map_err(unread)?;
    put(&mut table, changes.parse().map_err(unread)?);
    Ok(table)
}

/// Puts values into a table; tables in both are joined.
fn put(table: &mut Table, changes: Table) {
    for (key, change) in changes {
        match (table.get_mut(&key), change) {
            (Some(Value::Table(table)), Value::Table(changes)) => put(table, changes),
            (_, change) => drop(table.insert(key, change)),
        }
    }
}

fn unread(error: toml::de::Error) -> ScenarioError {
    ScenarioError::Text(error.to_string())
}
