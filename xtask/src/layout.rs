//! The memory layout of the interface, for glue that calls the core module without a component runtime.

use std::fmt::Write;

use anyhow::{Context, Result, anyhow, bail};
use wit_parser::{
    Function, Resolve, SizeAlign, Type, TypeDefKind, WorldItem, WorldKey,
    abi::{AbiVariant, WasmType},
};

use crate::{shell, wit};

/// Writes the table, or compares it.
pub(crate) fn run(check: bool) -> Result<()> {
    let path = shell::workspace().join("wit/LAYOUT.md");
    shell::write_or_check(&path, &document()?, check, "cargo xtask layout")
}

fn document() -> Result<String> {
    let (resolve, world) = wit::load(&shell::workspace())?;
    let world = resolve.worlds.get(world).ok_or_else(|| anyhow!("expected one world in `wit/`"))?;
    let mut sizes = SizeAlign::default();
    sizes.fill(&resolve);
    let mut page = Page { resolve: &resolve, sizes, text: INTRODUCTION.into(), elements: Vec::new() };
    for (key, item) in &world.exports {
        let WorldItem::Interface { id, .. } = item else { bail!("expected `wit/` to export interfaces only") };
        let functions = &resolve.interfaces.get(*id).context("an interface is missing")?.functions;
        for function in functions.values() {
            page.function(key, function)?;
        }
    }
    page.lists()?;
    Ok(page.text)
}

const INTRODUCTION: &str = "\
<!-- Written by `cargo xtask layout`; a test compares it with `policy.wit`. -->
# Memory layout

For hosts without a component runtime, which call the core module themselves: how a call goes, and where the canonical
ABI puts everything. The module stands byte for byte in every artifact; `refrain pin --core` writes it beside one, as
`NAME.core.wasm`. A component runtime knows all of this. `tests/tests/flat` is a host that knows nothing else: it reads
this page.

## The module

It imports nothing, has no start function, and is ready once it is instantiated. It exports

- `memory`: one page of 65,536 bytes, which never grows;
- `cabi_realloc`: (i32, i32, i32, i32) → (i32), which gives memory for parameters;
- a function for each heading below, under the name that stands there. An `i32` that points is unsigned.

An instance runs one call at a time. It keeps nothing between calls: any instance of the same module goes on with any
execution, and a pool of them needs no affinity.

## A call

1. For each list that is not empty, for the list in `handle` also for each value in it, and for the block of parameters
   if there is one: `cabi_realloc(0, 0, align, size)`. The order is free, and each call needs memory of its own. An
   empty list needs none; its pointer is not read.
2. An address that lies outside the memory is a refusal: write nothing and call nothing, no decision was made. The
   instance is as good as new. There are 20,480 bytes for one call: sixteen values of 1,024 bytes fit.
3. Write the parameters there and call the function. What was given is dead when it returns; nothing is freed.
4. Read the result where the returned pointer says, before the next call into the module, `cabi_realloc` included.

If a call traps, no decision was made and the instance is no longer usable; limit the time or the fuel of a call where
the engine can. Then, as after a refusal or a number that this host does not know, nothing more is sent.

Hand over only the fields that `describe` names, at most 16, each once and cut to 1,024 bytes: the policy refuses a
value of that length, so a cut one is never taken for another. Write only what the tables list: the module does not check
for what a component runtime would not let through.

## The tables

- All numbers are little end first. An offset counts from the pointer that is passed or returned; between the rows lies
  padding, which nobody reads. A row of a record, variant or option spans the rows below it.
- A variant, option or result begins with a byte that says which case it is; only that case's rows then mean anything.
- A list is a pointer and a count of elements; a string is one of UTF-8 bytes.
";

struct Page<'a> {
    resolve: &'a Resolve,
    sizes: SizeAlign,
    text: String,
    /// Types of list elements, to be laid out at the end.
    elements: Vec<Type>,
}

impl Page<'_> {
    fn function(&mut self, key: &WorldKey, function: &Function) -> Result<()> {
        let signature = self.resolve.wasm_signature(AbiVariant::GuestExport, function);
        let export = function.legacy_core_export_name(Some(&self.resolve.name_world_key(key))).into_owned();
        let (takes, gives) = (core_types(&signature.params), core_types(&signature.results));
        writeln!(self.text, "\n## {}\n\n`{export}`: ({takes}) → ({gives})\n", function.name)?;
        if signature.indirect_params {
            let types = function.params.iter().map(|param| &param.ty);
            let (block, offsets) = (self.sizes.params(types.clone()), self.sizes.field_offsets(types));
            let (size, align) = (block.size.size_wasm32(), block.align.align_wasm32());
            self.heading(&format!("The parameter points to {size} bytes, aligned to {align}:"))?;
            let offsets: Vec<_> = offsets.iter().map(|(offset, _)| offset.size_wasm32()).collect();
            for (param, offset) in function.params.iter().zip(offsets) {
                self.row(&param.name, &param.ty, offset)?;
            }
        } else {
            self.flat_params(function)?;
        }
        if let (Some(result), true) = (&function.result, signature.retptr) {
            let (size, align) = self.extent(result);
            self.heading(&format!("The result points to {size} bytes, aligned to {align}:"))?;
            self.row("result", result, 0)?;
        }
        Ok(())
    }

    fn flat_params(&mut self, function: &Function) -> Result<()> {
        if function.params.is_empty() {
            return Ok(());
        }
        writeln!(self.text, "The parameters, in this order:\n\n| parameter | core types | type |\n|---|---|---|")?;
        for param in &function.params {
            let mut storage = [WasmType::I32; Resolve::MAX_FLAT_PARAMS];
            let mut flat = wit_parser::abi::FlatTypes::new(&mut storage);
            self.resolve.push_flat(&param.ty, &mut flat);
            let (name, core) = (&param.name, core_types(&flat.to_vec()));
            writeln!(self.text, "| {name} | {core} | {} |", self.describe(&param.ty)?)?;
            self.note_elements(&param.ty)?;
        }
        writeln!(self.text)?;
        Ok(())
    }

    fn lists(&mut self) -> Result<()> {
        writeln!(self.text, "\n## Elements of lists\n")?;
        let mut next = 0;
        while let Some(element) = self.elements.get(next).copied() {
            next += 1;
            let (size, align) = self.extent(&element);
            let name = self.name(&element)?;
            self.heading(&format!("`{name}`: {size} bytes, aligned to {align}:"))?;
            self.row("element", &element, 0)?;
        }
        Ok(())
    }

    fn heading(&mut self, text: &str) -> Result<()> {
        let gap = if self.text.ends_with("\n\n") { "" } else { "\n" };
        writeln!(self.text, "{gap}{text}\n\n| offset | size | align | what | type |\n|---:|---:|---:|---|---|")?;
        Ok(())
    }

    /// One row for `ty` at `offset`, and those of what it is made of.
    fn row(&mut self, path: &str, ty: &Type, offset: usize) -> Result<()> {
        let ((size, align), kind) = (self.extent(ty), self.describe(ty)?);
        writeln!(self.text, "| {offset} | {size} | {align} | {path} | {kind} |")?;
        self.note_elements(ty)?;
        let Type::Id(id) = ty else { return Ok(()) };
        match &self.resolve.types.get(*id).context("a type is missing")?.kind {
            TypeDefKind::Type(alias @ Type::Id(_)) => bail!("expected an alias of a number, found `{alias:?}`"),
            TypeDefKind::Record(record) => {
                let offsets = self.sizes.field_offsets(record.fields.iter().map(|field| &field.ty));
                let offsets: Vec<_> = offsets.iter().map(|(at, _)| at.size_wasm32()).collect();
                for (field, at) in record.fields.iter().zip(offsets) {
                    self.row(&format!("{path}.{}", field.name), &field.ty, offset + at)?;
                }
            }
            TypeDefKind::Variant(variant) => {
                let cases: Vec<_> = variant.cases.iter().map(|case| (case.name.as_str(), case.ty.as_ref())).collect();
                self.cases(path, variant.tag(), &cases, offset)?;
            }
            TypeDefKind::Option(some) => {
                self.cases(path, wit_parser::Int::U8, &[("none", None), ("some", Some(some))], offset)?;
            }
            TypeDefKind::Result(result) => {
                let cases = [("ok", result.ok.as_ref()), ("err", result.err.as_ref())];
                self.cases(path, wit_parser::Int::U8, &cases, offset)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn cases(
        &mut self,
        path: &str,
        tag: wit_parser::Int,
        cases: &[(&str, Option<&Type>)],
        offset: usize,
    ) -> Result<()> {
        let at = self.sizes.payload_offset(tag, cases.iter().map(|(_, ty)| *ty)).size_wasm32();
        for (name, ty) in cases {
            if let Some(ty) = ty {
                self.row(&format!("{path}.{name}"), ty, offset + at)?;
            }
        }
        Ok(())
    }

    fn note_elements(&mut self, ty: &Type) -> Result<()> {
        if let Type::Id(id) = ty
            && let TypeDefKind::List(element) = &self.resolve.types.get(*id).context("a type is missing")?.kind
            && !self.elements.contains(element)
        {
            self.elements.push(*element);
        }
        Ok(())
    }

    fn extent(&self, ty: &Type) -> (usize, usize) {
        (self.sizes.size(ty).size_wasm32(), self.sizes.align(ty).align_wasm32())
    }

    /// What stands there.
    fn describe(&self, ty: &Type) -> Result<String> {
        let name = self.name(ty)?;
        let Type::Id(id) = ty else {
            return Ok(match ty {
                Type::Bool => "u8: 0 false, 1 true".into(),
                Type::String => "string: u32 pointer, u32 length in bytes".into(),
                _ => name,
            });
        };
        let numbered = |names: Vec<&str>| {
            let cases = names.iter().enumerate().map(|(number, name)| format!("{number} {name}"));
            cases.collect::<Vec<_>>().join(", ")
        };
        Ok(match &self.resolve.types.get(*id).context("a type is missing")?.kind {
            TypeDefKind::Type(alias) => format!("{} ({name})", self.name(alias)?),
            TypeDefKind::Record(_) => format!("record {name}"),
            TypeDefKind::Enum(cases) => {
                format!("u8, {name}: {}", numbered(cases.cases.iter().map(|case| case.name.as_str()).collect()))
            }
            TypeDefKind::Variant(cases) => {
                let cases = numbered(cases.cases.iter().map(|case| case.name.as_str()).collect());
                format!("variant {name}, u8: {cases}")
            }
            TypeDefKind::Option(_) => format!("{name}, u8: 0 none, 1 some"),
            TypeDefKind::Result(_) => format!("{name}, u8: 0 ok, 1 err"),
            TypeDefKind::List(_) => format!("{name}: u32 pointer, u32 count"),
            other => bail!("expected no `{}` in the interface", other.as_str()),
        })
    }

    /// The type as WIT writes it.
    fn name(&self, ty: &Type) -> Result<String> {
        let Type::Id(id) = ty else {
            return Ok(format!("{ty:?}").to_lowercase());
        };
        let definition = self.resolve.types.get(*id).context("a type is missing")?;
        if let Some(name) = &definition.name {
            return Ok(name.clone());
        }
        let part = |ty: &Option<Type>| ty.as_ref().map_or(Ok("_".into()), |ty| self.name(ty));
        Ok(match &definition.kind {
            TypeDefKind::Option(some) => format!("option<{}>", self.name(some)?),
            TypeDefKind::List(element) => format!("list<{}>", self.name(element)?),
            TypeDefKind::Result(result) => format!("result<{}, {}>", part(&result.ok)?, part(&result.err)?),
            other => bail!("expected no unnamed `{}` in the interface", other.as_str()),
        })
    }
}

fn core_types(types: &[WasmType]) -> String {
    let name = |ty: &WasmType| match ty {
        WasmType::I64 | WasmType::PointerOrI64 => "i64",
        WasmType::F32 => "f32",
        WasmType::F64 => "f64",
        WasmType::I32 | WasmType::Pointer | WasmType::Length => "i32",
    };
    types.iter().map(name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_committed_layout_is_that_of_the_interface() {
        super::run(true).unwrap();
    }
}
