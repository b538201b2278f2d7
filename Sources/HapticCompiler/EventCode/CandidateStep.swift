// CandidateStep: an event before its form is chosen.

/// An event whose form has not been chosen yet. A step without an event is a wait.
struct CandidateStep: Sendable {
    var delta: Ticks
    var event: CandidateEvent?

    func accepts(_ step: EventStep) -> Bool {
        guard delta == step.delta, let event, let content = step.content else { return false }
        return event.accepts(content)
    }
}
