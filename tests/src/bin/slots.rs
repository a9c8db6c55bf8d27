//! Prints the policy of each vector as the bytes of its slot, for runners that do not compile policies themselves.

use std::process::ExitCode;

use conformance::{Baked, embedded};
use policy_core::slot::Slot;
use serde_json::{Map, Value, json};

fn main() -> ExitCode {
    match slots() {
        Ok(slots) => {
            println!("{slots:#}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn slots() -> Result<Value, String> {
    let mut slots = Map::new();
    for vector in embedded::vectors() {
        let baked = match vector.bake().map_err(|error| format!("vector `{}`: {error}", vector.id))? {
            Baked::Slot(slot) => json!({ "slot": hex(&slot) }),
            Baked::Refused(error) => json!({ "policy_error": error }),
        };
        slots.insert(vector.id, baked);
    }
    Ok(slots.into())
}

fn hex(slot: &Slot) -> String {
    slot.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}
