//! The guest's bindings, made from `wit/` and committed.
//!
//! The canonical ABI lays records out as C does, and variants as Rust's `repr(C, u8)` does. So the bindings are types
//! that lie in memory exactly as the host writes and reads them: nothing is copied, converted or allocated at the
//! boundary. `wit-bindgen` makes owned types instead, with code to move every value into and out of them (3.5 KB) and a
//! need for an allocator. What is laid out how is asserted in the bindings themselves, by the numbers of `wit-parser`.

use std::fmt::Write;

use anyhow::{Context, Result, anyhow, bail};
use wit_parser::{
    Case, Docs, Field, Function, Int, Resolve, SizeAlign, Type, TypeDef, TypeDefKind, WorldItem, WorldKey,
    abi::{AbiVariant, WasmSignature},
};

use crate::{shell, wit};

/// Writes the bindings, or compares them.
pub(crate) fn run(check: bool) -> Result<()> {
    let path = shell::workspace().join("wasm-guest/src/bindings.rs");
    shell::write_or_check(&path, &bindings()?, check, "cargo xtask generate")
}

const INTRODUCTION: &str = "\
//! Written by `cargo xtask generate` from `wit/`; a test compares it.
//!
//! The interface's types, laid out in memory as the canonical ABI says, and its functions.
#![allow(dead_code, reason = \"some names exist for readers only\")]

use core::mem::offset_of;

use crate::rt::{Fallible, Given, List, Optional, Text};
";

fn bindings() -> Result<String> {
    let (resolve, world) = wit::load(&shell::workspace())?;
    let world = resolve.worlds.get(world).ok_or_else(|| anyhow!("expected one world in `wit/`"))?;
    let mut sizes = SizeAlign::default();
    sizes.fill(&resolve);
    let mut file = File { resolve: &resolve, sizes, text: INTRODUCTION.into() };
    for (key, item) in &world.exports {
        let WorldItem::Interface { id, .. } = item else { bail!("expected `wit/` to export interfaces only") };
        let interface = resolve.interfaces.get(*id).context("an interface is missing")?;
        for id in interface.types.values() {
            file.definition(&Type::Id(*id))?;
        }
        file.guest(interface.functions.values())?;
        for function in interface.functions.values() {
            file.export(key, function)?;
        }
    }
    Ok(file.text)
}

struct File<'a> {
    resolve: &'a Resolve,
    sizes: SizeAlign,
    text: String,
}

impl<'a> File<'a> {
    fn definition(&mut self, ty: &Type) -> Result<()> {
        let TypeDef { name, kind, docs, .. } = self.look_up(ty)?;
        let name = pascal(name.as_deref().context("a type has no name")?);
        self.text.push('\n');
        self.docs(docs, "")?;
        match kind {
            TypeDefKind::Type(alias) => writeln!(self.text, "pub(crate) type {name} = {};", self.rust(alias)?)?,
            TypeDefKind::Record(record) => {
                writeln!(self.text, "#[repr(C)]\npub(crate) struct {name} {{")?;
                self.fields(&record.fields, "pub(crate) ")?;
                self.layout(&name, ty, &record.fields)?;
            }
            TypeDefKind::Enum(cases) => {
                writeln!(self.text, "#[repr(u8)]\n#[derive(Clone, Copy)]\npub(crate) enum {name} {{")?;
                for case in &cases.cases {
                    self.docs(&case.docs, "    ")?;
                    writeln!(self.text, "    {},", pascal(&case.name))?;
                }
                self.layout(&name, ty, &[])?;
            }
            TypeDefKind::Variant(variant) if variant.tag() == Int::U8 => {
                writeln!(self.text, "#[repr(C, u8)]\npub(crate) enum {name} {{")?;
                for Case { name, ty, docs, .. } in &variant.cases {
                    self.docs(docs, "    ")?;
                    let payload = ty.as_ref().map_or(Ok(String::new()), |ty| Ok(format!("({})", self.rust(ty)?)));
                    writeln!(self.text, "    {}{},", pascal(name), payload.map_err(|error: anyhow::Error| error)?)?;
                }
                self.layout(&name, ty, &[])?;
            }
            other => bail!("there are no bindings for `{}` as in `{name}`", other.as_str()),
        }
        Ok(())
    }

    fn fields(&mut self, fields: &[Field], visibility: &str) -> Result<()> {
        for field in fields {
            self.docs(&field.docs, "    ")?;
            writeln!(self.text, "    {visibility}{}: {},", snake(&field.name), self.rust(&field.ty)?)?;
        }
        Ok(())
    }

    /// Closes the definition of `name` and asserts how it is laid out.
    fn layout(&mut self, name: &str, ty: &Type, fields: &[Field]) -> Result<()> {
        let (size, align) = (self.sizes.size(ty).size_wasm32(), self.sizes.align(ty).align_wasm32());
        let offsets = self.sizes.field_offsets(fields.iter().map(|field| &field.ty));
        let offsets: Vec<_> = offsets.iter().map(|(at, _)| at.size_wasm32()).collect();
        writeln!(
            self.text,
            "}}\n\nconst _: () = assert!(size_of::<{name}>() == {size} && align_of::<{name}>() == {align});"
        )?;
        for (field, at) in fields.iter().zip(offsets) {
            writeln!(self.text, "const _: () = assert!(offset_of!({name}, {}) == {at});", snake(&field.name))?;
        }
        Ok(())
    }

    /// The trait that the component implements.
    fn guest<'f>(&mut self, functions: impl Iterator<Item = &'f Function>) -> Result<()> {
        writeln!(self.text, "\n/// What the component does.\npub(crate) trait Guest {{")?;
        for function in functions {
            self.docs(&function.docs, "    ")?;
            let reference = if self.signature(function).indirect_params { "&mut " } else { "&" };
            let params = function
                .params
                .iter()
                .map(|param| Ok(format!("{}: {reference}{}", snake(&param.name), self.rust(&param.ty)?)));
            let params = params.collect::<Result<Vec<_>>>()?.join(", ");
            writeln!(self.text, "    fn {}({params}) -> Given<{}>;", snake(&function.name), self.result(function)?)?;
        }
        writeln!(self.text, "}}")?;
        Ok(())
    }

    fn export(&mut self, key: &WorldKey, function: &Function) -> Result<()> {
        let signature = self.signature(function);
        let name = snake(&function.name);
        let result = self.result(function)?;
        if !signature.retptr {
            bail!("there are no bindings for a result that fits a register, as of `{name}`");
        }
        let names: Vec<_> = function.params.iter().map(|param| snake(&param.name)).collect();
        let (takes, bind) = if signature.indirect_params {
            let block = format!("{}Parameters", pascal(&function.name));
            writeln!(self.text, "\n#[repr(C)]\nstruct {block} {{")?;
            let fields = function.params.iter().map(|param| Field {
                name: param.name.clone(),
                ty: param.ty,
                docs: Docs::default(),
                span: Default::default(),
            });
            self.fields(&fields.collect::<Vec<_>>(), "")?;
            writeln!(self.text, "}}")?;
            let bind = format!(
                "    // SAFETY: the host wrote them there, and reads and writes nothing while a function runs.\n    \
                 let {block} {{ {} }} = unsafe {{ &mut *parameters }};\n",
                names.join(", ")
            );
            (format!("parameters: *mut {block}"), bind)
        } else {
            self.flat(function)?
        };
        let export = function.legacy_core_export_name(Some(&self.resolve.name_world_key(key))).into_owned();
        let arguments = if signature.indirect_params {
            names.join(", ")
        } else {
            names.iter().map(|name| format!("&{name}")).collect::<Vec<_>>().join(", ")
        };
        writeln!(
            self.text,
            "\n#[unsafe(export_name = \"{export}\")]\nunsafe extern \"C\" fn {name}({takes}) -> Given<{result}> {{\n\
             {bind}    <crate::Component as Guest>::{name}({arguments})\n}}"
        )?;
        Ok(())
    }

    /// Parameters that come one by one: their core types, and how they become what the component takes.
    fn flat(&self, function: &Function) -> Result<(String, String)> {
        let (mut takes, mut bind) = (Vec::new(), String::new());
        for param in &function.params {
            let name = snake(&param.name);
            let Type::Id(_) = param.ty else { bail!("there are no bindings for a parameter as `{name}`") };
            match &self.look_up(&param.ty)?.kind {
                TypeDefKind::List(element) => {
                    takes.push(format!("{name}: *const {}, {name}_len: usize", self.rust(element)?));
                    writeln!(bind, "    let {name} = List::new({name}, {name}_len);")?;
                }
                TypeDefKind::Option(some) => {
                    takes.push(format!("{name}_tag: u32, {name}: {}", self.rust(some)?));
                    writeln!(
                        bind,
                        "    let {name} = if {name}_tag == 0 {{ Optional::None }} else {{ Optional::Some({name}) }};"
                    )?;
                }
                other => bail!("there are no bindings for a parameter of `{}`", other.as_str()),
            }
        }
        Ok((takes.join(", "), bind))
    }

    fn signature(&self, function: &Function) -> WasmSignature {
        self.resolve.wasm_signature(AbiVariant::GuestExport, function)
    }

    fn result(&self, function: &Function) -> Result<String> {
        self.rust(function.result.as_ref().with_context(|| format!("`{}` has no result", function.name))?)
    }

    fn look_up(&self, ty: &Type) -> Result<&'a TypeDef> {
        let Type::Id(id) = ty else { bail!("expected a definition, found `{ty:?}`") };
        self.resolve.types.get(*id).context("a type is missing")
    }

    /// The type as Rust writes it.
    fn rust(&self, ty: &Type) -> Result<String> {
        Ok(match ty {
            Type::Bool => "bool".into(),
            Type::U8 | Type::U16 | Type::U32 | Type::U64 => format!("{ty:?}").to_lowercase(),
            Type::S64 => "i64".into(),
            Type::String => "Text".into(),
            Type::Id(_) => {
                let definition = self.look_up(ty)?;
                let part = |ty: &Option<Type>| ty.as_ref().map_or(Ok("()".into()), |ty| self.rust(ty));
                match (&definition.name, &definition.kind) {
                    (Some(name), _) => pascal(name),
                    (None, TypeDefKind::Option(some)) => format!("Optional<{}>", self.rust(some)?),
                    (None, TypeDefKind::List(element)) => format!("List<{}>", self.rust(element)?),
                    (None, TypeDefKind::Result(result)) => {
                        format!("Fallible<{}, {}>", part(&result.ok)?, part(&result.err)?)
                    }
                    (None, other) => bail!("there are no bindings for an unnamed `{}`", other.as_str()),
                }
            }
            other => bail!("there are no bindings for `{other:?}`"),
        })
    }

    fn docs(&mut self, docs: &Docs, indent: &str) -> Result<()> {
        for line in docs.contents.iter().flat_map(|text| text.trim().lines()) {
            writeln!(self.text, "{}", format!("{indent}/// {line}").trim_end())?;
        }
        Ok(())
    }
}

fn snake(kebab: &str) -> String {
    kebab.replace('-', "_")
}

fn pascal(kebab: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
    };
    kebab.split('-').map(capital).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_committed_bindings_are_those_of_the_interface() {
        super::run(true).unwrap();
    }
}
