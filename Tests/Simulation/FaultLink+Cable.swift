// FaultLink+Cable: the faults of a USB cable to a board. Faults of packets, frames and the port
// correspond to the faults of bytes on a serial line.

import BridgeLink
import TestSupport
import VirtualBoard

/// The faults of a USB cable to a board, and their ends.
struct CableFaults {
    private var repairs: [(time: Microseconds, repair: Repair)] = []

    private enum Repair { case cable, port }

    /// Applies a fault to the cable. Returns true if the fault concerns the cable. Noise and lost
    /// bytes toward the board also affect the bytes in packets, because SPEC 2 does not rely on
    /// USB.
    mutating func meet(_ fault: Fault.Kind, _ board: LockStepBoard, at now: Microseconds) -> Bool {
        switch fault {
        case .noise:
            board.damagePackets(2)
            return false
        case .stall(let time, _): board.hostIsLate(frames: Int(time / 1_000))
        case .disconnect(let time):
            board.cable(isPluggedIn: false)
            repairs.append((now + time, .cable))
        case .repeated: board.resetBus()
        case .lose(let count, toBoard: false):
            board.dataTerminalReady(false)
            repairs.append((now + Microseconds(count) * 5_000, .port))
        default: return false
        }
        return true
    }

    /// Ends the faults whose time has passed.
    mutating func repair(_ board: LockStepBoard, at now: Microseconds) {
        for (_, repair) in repairs.filter({ $0.time <= now }) {
            switch repair {
            case .cable: board.cable(isPluggedIn: true)
            case .port: board.dataTerminalReady(true)
            }
        }
        repairs.removeAll { $0.time <= now }
    }
}
