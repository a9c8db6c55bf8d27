//! The numbers of local variables, for a module that compresses well.
//!
//! The compiler declares them in the order in which it came upon them, whatever their type, and each change of type takes
//! two bytes. Here those of one type stand together, and of these the one that is used most comes first, so that few numbers
//! make up most of the uses. Nothing else in a function is touched.

use std::cmp::Reverse;

use anyhow::{Context, Result};
use wasm_encoder::{CodeSection, Function, Instruction};
use wasmparser::{FunctionBody, Operator, Parser, Payload, ValType};

/// The functions of a module that imports none.
pub(crate) fn renumbered(module: &[u8]) -> Result<CodeSection> {
    let (mut types, mut functions, mut code) = (Vec::new(), Vec::new().into_iter(), CodeSection::new());
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::TypeSection(section) => types = section.into_iter_err_on_gc_types().collect::<Result<_, _>>()?,
            Payload::FunctionSection(section) => {
                functions = section.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter()
            }
            Payload::CodeSectionEntry(body) => {
                let signature = functions.next().and_then(|number| types.get(number as usize));
                let parameters = signature.context("expected a type for each function")?.params().len();
                code.function(&Locals::of(&body, parameters)?.renumber(&body)?);
            }
            _ => {}
        }
    }
    Ok(code)
}

/// The local variables of one function, its parameters aside: these keep their numbers.
struct Locals {
    parameters: usize,
    /// As they are declared.
    declared: Vec<Local>,
}

struct Local {
    of: ValType,
    uses: usize,
}

impl Locals {
    fn of(body: &FunctionBody<'_>, parameters: usize) -> Result<Self> {
        let mut declared = Vec::new();
        for run in body.get_locals_reader()? {
            let (count, of) = run?;
            declared.extend((0..count).map(|_| Local { of, uses: 0 }));
        }
        for operator in body.get_operators_reader()? {
            let number = used(&operator?).and_then(|number| (number as usize).checked_sub(parameters));
            if let Some(local) = number.and_then(|number| declared.get_mut(number)) {
                local.uses += 1;
            }
        }
        Ok(Self { parameters, declared })
    }

    /// Positions among the declared, the most used type first, and of each type the most used local.
    fn order(&self) -> Vec<usize> {
        let uses =
            |of: ValType| self.declared.iter().filter(|local| local.of == of).map(|local| local.uses).sum::<usize>();
        let mut order: Vec<_> = self.declared.iter().enumerate().collect();
        // Types are told apart by how they are written, should two be used as often.
        order.sort_by_cached_key(|(_, local)| (Reverse(uses(local.of)), local.of.to_string(), Reverse(local.uses)));
        order.into_iter().map(|(position, _)| position).collect()
    }

    fn renumber(&self, body: &FunctionBody<'_>) -> Result<Function> {
        let order = self.order();
        let types = order.iter().map(|position| self.declared[*position].of.try_into());
        let types = types.collect::<Result<Vec<_>, _>>().context("expected locals of plain types")?;
        let mut numbers: Vec<_> = (0..self.parameters + self.declared.len()).collect();
        for (at, position) in order.into_iter().enumerate() {
            numbers[self.parameters + position] = self.parameters + at;
        }
        let number = |old: u32| numbers[old as usize] as u32;

        let (mut function, from) = (Function::new_with_locals_types(types), body.range().start);
        let mut reader = body.get_operators_reader()?;
        while !reader.eof() {
            let (operator, at) = reader.read_with_offset()?;
            match operator {
                Operator::LocalGet { local_index } => function.instruction(&Instruction::LocalGet(number(local_index))),
                Operator::LocalSet { local_index } => function.instruction(&Instruction::LocalSet(number(local_index))),
                Operator::LocalTee { local_index } => function.instruction(&Instruction::LocalTee(number(local_index))),
                _ => function.raw(body.as_bytes()[at - from..reader.original_position() - from].iter().copied()),
            };
        }
        Ok(function)
    }
}

/// The number of the local variable that an instruction uses.
fn used(operator: &Operator<'_>) -> Option<u32> {
    match operator {
        Operator::LocalGet { local_index }
        | Operator::LocalSet { local_index }
        | Operator::LocalTee { local_index } => Some(*local_index),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use wasm_encoder::Section;

    use super::*;

    #[test]
    fn locals_of_one_type_stand_together_and_the_most_used_is_first() {
        let declared = "(func (param i32 i64) (local i64 i32 i64 i32)
            local.get 0 local.set 3
            local.get 1 local.set 4
            loop local.get 5 local.tee 5 local.get 5 i32.add local.get 3 i32.add br_if 0 end)";
        let expected = "(func (param i32 i64) (local i32 i32 i64 i64)
            local.get 0 local.set 3
            local.get 1 local.set 4
            loop local.get 2 local.tee 2 local.get 2 i32.add local.get 3 i32.add br_if 0 end)";
        let mut code = Vec::new();
        renumbered(&module(declared)).unwrap().append_to(&mut code);
        assert!(module(expected).ends_with(&code), "{code:x?}");
    }

    fn module(function: &str) -> Vec<u8> {
        wat::parse_str(format!("(module {function})")).unwrap()
    }
}
