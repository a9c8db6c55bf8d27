//! A module written anew for those who download it: without what says nothing to a host, and numbered so that it compresses
//! well. No instruction is another.
//!
//! - Names, producers and the like are left out, and the linker's own exports and what only they name.
//! - Functions stand longest first, which is some 35 bytes less by gzip than the compiler's order, or one that is drawn.
//! - Local variables of one type stand together, since each change of type takes two bytes, and of these the one that is
//!   used most comes first, so that few numbers make up most of the uses. The compiler declares them in the order in which
//!   it came upon them.

use std::{cmp::Reverse, convert::Infallible};

use anyhow::{Context, Result};
use wasm_encoder::{
    CodeSection, ExportSection, Function, FunctionSection, GlobalSection, Instruction, Module, ValType,
    reencode::{Error, Reencode, utils},
};
use wasmparser::{
    CodeSectionReader, CustomSectionReader, Export, FuncType, FunctionBody, FunctionSectionReader, GlobalSectionReader,
    Operator, Parser, Payload,
};

/// The compact form of a module that imports no function.
pub(crate) fn compact(module: &[u8]) -> Result<Vec<u8>> {
    let mut compact = Module::new();
    let read = Numbers::of(module).and_then(|mut numbers| {
        numbers.parse_core_module(&mut compact, Parser::new(0), module)?;
        Ok(())
    });
    read.context("the compiled guest is no module that can be written anew")?;
    Ok(compact.finish())
}

/// How a module is numbered anew.
struct Numbers {
    /// The types that functions have.
    types: Vec<FuncType>,
    /// The type of each function, in the compiler's order.
    functions: Vec<u32>,
    /// The compiler's numbers of functions, in the order in which they are written.
    order: Vec<usize>,
    /// The local variables of the function that is being written: the new number of each.
    locals: Vec<u32>,
}

impl Numbers {
    fn of(module: &[u8]) -> Result<Self> {
        let (mut types, mut functions, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::TypeSection(section) => {
                    types = section.into_iter_err_on_gc_types().collect::<Result<_, _>>()?
                }
                Payload::FunctionSection(section) => functions = section.into_iter().collect::<Result<_, _>>()?,
                Payload::CodeSectionEntry(body) => lengths.push(body.range().len()),
                _ => {}
            }
        }
        let mut order: Vec<_> = (0..lengths.len()).collect();
        order.sort_by_key(|function| Reverse(lengths[*function]));
        Ok(Self { types, functions, order, locals: Vec::new() })
    }

    /// Numbers the local variables of a function, of which the parameters keep theirs, and gives the types of the others.
    fn number_locals(&mut self, body: &FunctionBody<'_>, parameters: usize) -> Result<Vec<ValType>, Error<Infallible>> {
        let mut declared = Vec::new();
        for run in body.get_locals_reader()? {
            let (count, of) = run?;
            let of = self.val_type(of)?;
            declared.extend((0..count).map(|_| (of, 0)));
        }
        for operator in body.get_operators_reader()? {
            let (Operator::LocalGet { local_index }
            | Operator::LocalSet { local_index }
            | Operator::LocalTee { local_index }) = operator?
            else {
                continue;
            };
            let local = (local_index as usize).checked_sub(parameters).and_then(|local| declared.get_mut(local));
            local.into_iter().for_each(|(_, uses)| *uses += 1);
        }
        let uses_of = |of: ValType| declared.iter().filter(|local| local.0 == of).map(|local| local.1).sum::<u32>();
        let mut order: Vec<_> = (0..declared.len()).collect();
        order.sort_by_cached_key(|local| {
            let (of, uses) = declared[*local];
            // Types are told apart by their names, should two be used as often.
            (Reverse(uses_of(of)), format!("{of:?}"), Reverse(uses))
        });
        self.locals = (0..(parameters + declared.len()) as u32).collect();
        for (number, local) in (parameters as u32..).zip(&order) {
            self.locals[parameters + local] = number;
        }
        Ok(order.into_iter().map(|local| declared[local].0).collect())
    }
}

impl Reencode for Numbers {
    type Error = Infallible;

    fn parse_custom_section(&mut self, _: &mut Module, _: CustomSectionReader<'_>) -> Result<(), Error<Infallible>> {
        Ok(())
    }

    fn parse_export(&mut self, exports: &mut ExportSection, export: Export<'_>) -> Result<(), Error<Infallible>> {
        // `__data_end` and `__heap_base`.
        if export.name.starts_with("__") { Ok(()) } else { utils::parse_export(self, exports, export) }
    }

    /// The stack pointer, which the linker puts first. The others are what it exports.
    fn parse_global_section(
        &mut self,
        globals: &mut GlobalSection,
        section: GlobalSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        section.into_iter().take(1).try_for_each(|global| self.parse_global(globals, global?))
    }

    fn function_index(&mut self, function: u32) -> Result<u32, Error<Infallible>> {
        let at = self.order.iter().position(|number| *number == function as usize);
        Ok(at.map_or(function, |at| at as u32))
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        _: FunctionSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        for function in &self.order {
            functions.function(self.functions[*function]);
        }
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: CodeSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        let bodies = section.into_iter().collect::<Result<Vec<_>, _>>()?;
        for function in self.order.clone() {
            let parameters = self.types[self.functions[function] as usize].params().len();
            let mut written = Function::new_with_locals_types(self.number_locals(&bodies[function], parameters)?);
            let mut operators = bodies[function].get_operators_reader()?;
            while !operators.eof() {
                written.instruction(&self.parse_instruction(&mut operators)?);
            }
            code.function(&written);
        }
        Ok(())
    }

    fn instruction<'a>(&mut self, operator: Operator<'a>) -> Result<Instruction<'a>, Error<Infallible>> {
        let local = |number: u32| self.locals[number as usize];
        Ok(match operator {
            Operator::LocalGet { local_index } => Instruction::LocalGet(local(local_index)),
            Operator::LocalSet { local_index } => Instruction::LocalSet(local(local_index)),
            Operator::LocalTee { local_index } => Instruction::LocalTee(local(local_index)),
            other => utils::instruction(self, other)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locals_of_one_type_stand_together_and_the_most_used_is_first() {
        assert_compact(
            "(func (param i32 i64) (local i64 i32 i64 i32)
                local.get 0 local.set 3
                local.get 1 local.set 4
                loop local.get 5 local.tee 5 local.get 5 i32.add local.get 3 i32.add br_if 0 end)",
            "(func (param i32 i64) (local i32 i32 i64 i64)
                local.get 0 local.set 3
                local.get 1 local.set 4
                loop local.get 2 local.tee 2 local.get 2 i32.add local.get 3 i32.add br_if 0 end)",
        );
    }

    #[test]
    fn functions_stand_longest_first_and_are_called_by_their_new_numbers() {
        assert_compact(
            "(func (export \"short\") (result i32) i32.const 1)
             (func (param i32) local.get 0 call 1 call 0 drop)",
            "(func (param i32) local.get 0 call 0 call 1 drop)
             (func (export \"short\") (result i32) i32.const 1)",
        );
    }

    #[test]
    fn what_only_the_linker_names_is_left_out() {
        assert_compact(
            "(global (mut i32) i32.const 64) (global i32 i32.const 80) (export \"__heap_base\" (global 1))
             (func $named (export \"call\") global.get 0 drop)",
            "(global (mut i32) i32.const 64) (func (export \"call\") global.get 0 drop)",
        );
    }

    fn assert_compact(module: &str, expected: &str) {
        // Types are numbered as they are first used, which another order of functions would change.
        let types = "(type (func (result i32))) (type (func (param i32)))";
        let [module, expected] =
            [module, expected].map(|text| wat::parse_str(format!("(module {types} {text})")).unwrap());
        assert_eq!(compact(&module).unwrap(), expected);
    }
}
