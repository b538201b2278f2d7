// FaultLink+Trace: the trace of a link as readable text.

import BridgeLink

extension FaultLink {
    func record(_ what: @autoclosure () -> String) {
        if isTraced { log.append("\(now) us, board \(index): \(what())") }
    }

    func traceEvent(_ event: LinkEvent) {
        switch event {
        case .clockSampled, .status(_, nil), .stream(_, nil): break
        default: record("\(event)")
        }
    }

    func traceDrive() {
        guard isTraced else { return }
        let changes = board.driveChanges
        for change in changes[min(traced, changes.count)...] {
            let time = Int(Double(change.time) / rate)
            record("actuator \(change.actuator) drives \(change.drive) from \(time) on")
        }
        traced = changes.count
    }
}
