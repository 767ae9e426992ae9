//! Reading the plan that `opa build -t plan` writes (`plan.json` in the bundle).

use serde_json::Value as Json;

use crate::simplify::renumber;
use crate::{Block, Constant, DATA, FIRST_PARAMETER, Function, INPUT, Local, Operand, Plan, Statement, locals};

/// More locals than any query that OPA plans has; each takes a place in memory.
const LOCALS_MAX: u32 = 1 << 20;

/// Why a plan cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error("the plan is no JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the plan has a form that is not known: {0}")]
    Form(String),
}

/// Reads OPA's JSON.
///
/// # Errors
/// When it is not a plan, or holds a statement that is not known.
pub fn read(json: &[u8]) -> Result<Plan, PlanError> {
    let json: Json = serde_json::from_slice(json)?;
    let strings = list(&json["static"]["strings"], "static.strings")?;
    let strings = strings.iter().map(|string| text(&string["value"])).collect::<Result<_, _>>()?;
    let reader = Reader { strings };
    let mut plan = Plan::default();
    for function in list(&json["funcs"]["funcs"], "funcs.funcs")? {
        let (name, read) = reader.function(function)?;
        plan.functions.insert(name, read);
    }
    for query in list(&json["plans"]["plans"], "plans.plans")? {
        let blocks = reader.blocks(&query["blocks"])?;
        let mut function = Function { parameters: 0, locals: 0, blocks };
        function.locals = locals(&function);
        if function.locals > LOCALS_MAX {
            return Err(PlanError::Form(format!("a query with {} locals", function.locals)));
        }
        plan.entrypoints.insert(text(&query["name"])?, function);
    }
    Ok(plan)
}

struct Reader {
    strings: Vec<String>,
}

impl Reader {
    fn function(&self, json: &Json) -> Result<(String, Function), PlanError> {
        let name = rule(&text(&json["name"])?).to_owned();
        let parameters = list(&json["params"], "params")?.iter().map(number).collect::<Result<Vec<Local>, _>>()?;
        if !parameters.starts_with(&[INPUT, DATA]) {
            return Err(form("parameters", &json["params"]));
        }
        let count = number::<u32>(&parameters.len().into())? - FIRST_PARAMETER;
        let mut function = Function { parameters: count, locals: 0, blocks: self.blocks(&json["blocks"])? };
        renumber(&mut function, &parameters);
        Ok((name, function))
    }

    fn blocks(&self, json: &Json) -> Result<Vec<Block>, PlanError> {
        list(json, "blocks")?.iter().map(|block| self.block(block)).collect()
    }

    fn block(&self, json: &Json) -> Result<Block, PlanError> {
        let statements = list(&json["stmts"], "stmts")?;
        let read = statements.iter().filter(|statement| statement["type"] != "NopStmt");
        Ok(Block(read.map(|statement| self.statement(statement)).collect::<Result<_, _>>()?))
    }

    fn statement(&self, json: &Json) -> Result<Statement, PlanError> {
        let s = &json["stmt"];
        let local = |field: &str| number::<Local>(&s[field]);
        let operand = |field: &str| self.operand(&s[field]);
        let whole = |value: &Json| Operand::Constant(Constant::Number(value.to_string()));
        Ok(match json["type"].as_str().unwrap_or_default() {
            "AssignVarStmt" => Statement::Assign { target: local("target")?, source: operand("source")? },
            "AssignVarOnceStmt" => Statement::AssignOnce { target: local("target")?, source: operand("source")? },
            "AssignIntStmt" | "MakeNumberIntStmt" => {
                Statement::Assign { target: local("target")?, source: whole(&s["value"]) }
            }
            "MakeNumberRefStmt" => {
                let source = Operand::Constant(Constant::Number(self.string(&s["Index"])?));
                Statement::Assign { target: local("target")?, source }
            }
            "MakeNullStmt" => Statement::Assign { target: local("target")?, source: Operand::Constant(Constant::Null) },
            "ResetLocalStmt" => Statement::Reset { target: local("target")? },
            "CallStmt" => self.call(s)?,
            "CallDynamicStmt" => {
                let path: Vec<Operand> = self.operands(&s["path"])?;
                // The first is the name space of rules, "g0".
                Statement::CallDynamic { target: local("result")?, path: path.into_iter().skip(1).collect() }
            }
            "DotStmt" => Statement::Dot { target: local("target")?, source: operand("source")?, key: operand("key")? },
            "LenStmt" => Statement::Length { target: local("target")?, source: operand("source")? },
            "ScanStmt" => Statement::Scan {
                source: Operand::Local(local("source")?),
                key: local("key")?,
                value: local("value")?,
                block: self.block(&s["block"])?,
            },
            "NotStmt" => Statement::Not { block: self.block(&s["block"])? },
            "BlockStmt" => Statement::Blocks(self.blocks(&s["blocks"])?),
            "BreakStmt" => Statement::Break(number(&s["index"])?),
            "WithStmt" => {
                let path =
                    list(&s["path"], "path")?.iter().map(|index| self.string(index)).collect::<Result<_, _>>()?;
                Statement::With {
                    local: local("local")?,
                    path,
                    value: operand("value")?,
                    block: self.block(&s["block"])?,
                }
            }
            "MakeArrayStmt" => Statement::MakeArray { target: local("target")? },
            "MakeObjectStmt" => Statement::MakeObject { target: local("target")? },
            "MakeSetStmt" => Statement::MakeSet { target: local("target")? },
            "ArrayAppendStmt" => Statement::Append { array: local("array")?, value: operand("value")? },
            "ObjectInsertStmt" => {
                Statement::Insert { object: local("object")?, key: operand("key")?, value: operand("value")? }
            }
            "ObjectInsertOnceStmt" => {
                Statement::InsertOnce { object: local("object")?, key: operand("key")?, value: operand("value")? }
            }
            "SetAddStmt" => Statement::Add { set: local("set")?, value: operand("value")? },
            "ObjectMergeStmt" => Statement::Merge { target: local("target")?, first: local("a")?, second: local("b")? },
            "EqualStmt" => Statement::Equal { left: operand("a")?, right: operand("b")? },
            "NotEqualStmt" => Statement::NotEqual { left: operand("a")?, right: operand("b")? },
            "IsArrayStmt" => Statement::IsArray { source: operand("source")? },
            "IsObjectStmt" => Statement::IsObject { source: operand("source")? },
            "IsSetStmt" => Statement::IsSet { source: operand("source")? },
            "IsDefinedStmt" => Statement::IsDefined { source: local("source")? },
            "IsUndefinedStmt" => Statement::IsUndefined { source: local("source")? },
            "ReturnLocalStmt" => Statement::Return { source: Operand::Local(local("source")?) },
            "ResultSetAddStmt" => Statement::Return { source: Operand::Local(local("value")?) },
            other => return Err(PlanError::Form(format!("a statement {other}"))),
        })
    }

    fn call(&self, s: &Json) -> Result<Statement, PlanError> {
        let (target, name, mut arguments) = (number(&s["result"])?, text(&s["func"])?, self.operands(&s["args"])?);
        let function = rule(&name).to_owned();
        if function.starts_with("data.") {
            // Rules are given the two documents before anything else.
            if arguments.len() < 2 || arguments[0] != Operand::Local(INPUT) || arguments[1] != Operand::Local(DATA) {
                return Err(form("a call", s));
            }
            arguments.drain(..2);
        }
        Ok(Statement::Call { target, function, arguments })
    }

    fn operands(&self, json: &Json) -> Result<Vec<Operand>, PlanError> {
        list(json, "operands")?.iter().map(|operand| self.operand(operand)).collect()
    }

    fn operand(&self, json: &Json) -> Result<Operand, PlanError> {
        let value = &json["value"];
        Ok(match json["type"].as_str() {
            Some("local") => Operand::Local(number(value)?),
            Some("string_index") => Operand::Constant(Constant::String(self.string(value)?)),
            Some("bool") => Operand::Constant(Constant::Bool(value.as_bool().ok_or_else(|| form("a truth", value))?)),
            _ => return Err(form("an operand", json)),
        })
    }

    fn string(&self, index: &Json) -> Result<String, PlanError> {
        let string = self.strings.get(number::<usize>(index)?);
        string.cloned().ok_or_else(|| form("the index of a string", index))
    }
}

/// The name of a rule without the planner's name space of rules.
fn rule(name: &str) -> &str {
    name.strip_prefix("g0.").unwrap_or(name)
}

fn list<'a>(json: &'a Json, what: &str) -> Result<&'a [Json], PlanError> {
    match json {
        Json::Null => Ok(&[]),
        Json::Array(items) => Ok(items),
        _ => Err(form(what, json)),
    }
}

fn text(json: &Json) -> Result<String, PlanError> {
    json.as_str().map(str::to_owned).ok_or_else(|| form("a text", json))
}

fn number<T: TryFrom<u64>>(json: &Json) -> Result<T, PlanError> {
    json.as_u64().and_then(|number| T::try_from(number).ok()).ok_or_else(|| form("a number", json))
}

fn form(what: &str, json: &Json) -> PlanError {
    let mut shown = json.to_string();
    if let Some((cut, _)) = shown.char_indices().nth(200) {
        shown.truncate(cut);
    }
    PlanError::Form(format!("{what}: {shown}"))
}
