// The only barrel, in the order in which data flows. Models have entries of their own: rx-tool-loop/openai-chat,
// rx-tool-loop/embedded, rx-tool-loop/scripted.

// vocabulary
export { resultText, toolCall, userMessage } from './message.ts';
export type {
  AssistantMessage,
  AssistantPart,
  FilePart,
  FinishReason,
  ImagePart,
  Json,
  Message,
  Meta,
  OpaquePart,
  ReasoningPart,
  RefusalPart,
  ResultPart,
  ServerToolPart,
  SourcePart,
  TextPart,
  ToolCall,
  ToolCallPart,
  ToolDisplay,
  ToolFault,
  ToolFaultKind,
  ToolLocation,
  ToolMessage,
  ToolResult,
  UserMessage,
  UserPart,
} from './message.ts';
export { isShown } from './delta.ts';
export type { Delta, DeltaOf, DeltaType, ResponseIds } from './delta.ts';
export type { Capability, ImageLimits, Model, ModelOptions, ModelRequest, ToolChoice, ToolSpec } from './model.ts';
export type { Demand } from './demand.ts';
export type { Ids } from './ids.ts';
export type {
  Answer,
  CallOf,
  Jsonified,
  JsonSchema,
  ResultOf,
  Tool,
  ToolContext,
  ToolInput,
  ToolKind,
  ToolRetry,
  Validation,
  ValidationIssue,
} from './tool.ts';
export type { SchemaCheck, SchemaValidator } from './schema-validator.ts';
export type {
  ApprovalAnswerEvent,
  ApprovalRequestEvent,
  Compaction,
  Correction,
  CustomEvent,
  DeltaEvent,
  Done,
  EventOf,
  EventType,
  Fallback,
  LoopEvent,
  Parent,
  PlanEvent,
  Retry,
  RunStart,
  StateEvent,
  Status,
  Steering,
  StepEnd,
  StepRetract,
  StepStart,
  TitleEvent,
  ToolCallEvent,
  ToolCommit,
  ToolDropped,
  ToolProgress,
  ToolResultEvent,
  ToolStart,
} from './event.ts';
export type { Completion, Outcome, Reason, StepRecord } from './outcome.ts';
export type { JsonPatchOperation, PlanEntry } from './host.ts';
export type { BlockState, CallBlock, CallPhase, CallState, LoopState, LoopStatus, MessageState, PatchFault } from './loop-state.ts';
export type { ApprovalAnswer, ApprovalKind, ApprovalPort, ApprovalRequest } from './approval.ts';
export { openRequests } from './open-requests.ts';
export type { Checkpoint, CheckpointBatch, CheckpointCall, CheckpointCounters } from './checkpoint.ts';
export type {
  HookContext,
  HookList,
  Hooks,
  InvalidCall,
  InvalidCallAnswer,
  RequestPatch,
  RequestView,
  ResultAnswer,
  StepAnswer,
  StepView,
  StopAnswer,
  ToolAnswer,
} from './hooks.ts';
export type { Price, Usage } from './usage.ts';
export { concurrent, dependencyTiers, parallelSafe, sequential } from './schedule.ts';
export type { CallGroup, Schedule, Scheduled } from './schedule.ts';
export type { Budget, Policy, PresetName, RetryPolicy, Timeouts } from './policy.ts';
export {
  BudgetError,
  ConfigError,
  EmptyAnswerError,
  InvalidToolSchemaError,
  isLoopError,
  LoopError,
  ModelError,
  RunError,
  ToolError,
  UnsupportedError,
} from './errors.ts';
export { ApprovalError, CheckpointError, HookError, OutputError, UnknownToolError } from './control-errors.ts';
export { RemoteError } from './remote-error.ts';
export type { LogEntry, LoggedRun, LogPiece, RunAbout, RunLog } from './run-log.ts';
export type { BudgetName, ErrorInfo, ModelErrorCode, ModelErrorOptions, RunRecord } from './errors.ts';

// invoke
export { toolOutput } from './tool-output.ts';
export type { ToolOutput } from './tool-output.ts';
export { defineTool } from './invoke/define-tool.ts';
export type { ClientToolDefinition, ToolDefinition } from './invoke/define-tool.ts';

// loop
export { toolLoop } from './loop/tool-loop.ts';
export { conversation } from './loop/conversation.ts';
export type { ConversationOptions } from './loop/conversation.ts';
export { asTool } from './loop/sub-loop.ts';
export type { SubLoopDefinition } from './loop/sub-loop.ts';
export { resumeToolLoop } from './loop/resume-tool-loop.ts';
export type { Answers } from './loop/resume-tool-loop.ts';
export { completeToolLoop } from './loop/complete-tool-loop.ts';
export type { ContextSize, OutputOptions, ToolLoopOptions } from './loop/options.ts';

// projections
export { coalesce } from './projections/coalesce.ts';
export type { CoalesceOptions } from './projections/coalesce.ts';
export { errorAsDone } from './projections/error-as-done.ts';
export { foldState } from './projections/fold-state.ts';
export { historyOf } from './projections/history-of.ts';
export { initialState } from './projections/initial-state.ts';
export { ofType } from './projections/of-type.ts';
export { paced } from './projections/paced.ts';
export { pull } from './projections/pull.ts';
export type { PullOptions } from './projections/pull.ts';
export { toReadableStream } from './projections/readable-stream.ts';
export { toOutcome } from './projections/outcome.ts';
export { toPartialOutput } from './projections/partial-output.ts';
export type { PartialOutput, PartialOutputOptions } from './projections/partial-output.ts';
export { toState } from './projections/state.ts';
export type { StateOptions } from './projections/state.ts';
export { toText } from './projections/text.ts';

// Not exported, because each is one step of the flow that has no promise of its own: step, foldDelta, inOrder, batch,
// call, unfold, settle, answer, relay. They may change in any release.
