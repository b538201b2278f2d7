// ConnectAttempt: an attempt, during a search, to connect to a board on one port.

import BridgeLink
import POSIX
import SerialPorts

/// An attempt to connect, from the opening of a port to the answer from a board.
struct ConnectAttempt {
    let port: PortDescription
    private let system: PortSystem
    private var link: Link?
    private(set) var outcome: Result<HapticBoard, any Error>?

    /// The length of one port's turn before the next port is serviced, in microseconds.
    private static let turn: Microseconds = 5_000

    init(_ port: PortDescription, on system: PortSystem) {
        (self.port, self.system) = (port, system)
        do {
            link = Link(try Self.open(port), timing: Self.timing)
        } catch {
            outcome = .failure(error)
        }
    }

    /// The link's timing, which allows for a board that resets when its port is opened and takes up
    /// to 2 s to boot.
    private static var timing: LinkTiming {
        var timing = LinkTiming.standard
        timing.connectTimeout = 2_500_000
        return timing
    }

    private static func open(_ port: PortDescription) throws(TransportError) -> any Transport {
        switch port.access {
        case .free: try openPort(port.path)
        case .noPermission: throw .noPermission(path: port.path)
        case .locked(let holder): throw .busy(path: port.path, holder: holder)
        }
    }

    mutating func step() {
        guard outcome == nil, let link else { return }
        do {
            try link.run(until: Link.now() + Self.turn) { event in
                if case .ended(let end) = event { throw end }
                guard case .connected(let welcome) = event else { return false }
                outcome = .success(HapticBoard(link: link, welcome: welcome, system: system))
                return true
            }
        } catch {
            link.close()
            outcome = .failure(error)
        }
    }

    mutating func giveUp() {
        guard outcome == nil else { return }
        link?.close()
        outcome = .failure(CancellationError())
    }
}
