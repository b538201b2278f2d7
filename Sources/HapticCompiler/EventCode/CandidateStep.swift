// CandidateStep: an event whose form has not been chosen yet.

/// An event whose form has not been chosen yet. A step that has no event is a wait.
struct CandidateStep: Sendable {
    var delta: Ticks
    var event: CandidateEvent?

    func accepts(_ step: EventStep) -> Bool {
        guard delta == step.delta, let event, let content = step.content else { return false }
        return event.accepts(content)
    }
}
