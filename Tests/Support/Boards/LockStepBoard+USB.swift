// What only a board with USB can be told: its cable, its bus, and a host that is late.

/// The end of a request to the control endpoint.
public struct USBRequestOutcome: Equatable, Sendable {
    public enum Status: String, Sendable {
        case done, stalled, failed
        /// The host took the request back, or the bus was reset.
        case gone
    }

    public var status: Status
    /// The bytes that were read.
    public var bytes: [UInt8]

    public init(status: Status, bytes: [UInt8] = []) {
        (self.status, self.bytes) = (status, bytes)
    }
}

extension LockStepBoard {
    /// Makes the host serve no endpoint but the control endpoint, or ends this.
    public func host(isHeld: Bool) { command("usb hold \(isHeld.word)") }

    /// Sends a request to the control endpoint; `cancelRequest` or its outcome, in `trace.requests`, ends
    /// it.
    ///
    /// - Parameter data: What the host sends, as long as the setup packet says.
    public func request(_ setup: [UInt8], data: [UInt8] = []) {
        command("usb request \(setup.hexadecimal) \(data.isEmpty ? "-" : data.hexadecimal)")
    }

    /// Takes a request back that has not ended.
    public func cancelRequest() {
        command("usb cancel")
        advance(to: now + 1)
    }

    /// Pulls the cable, or plugs it in. The host then finds the board and opens its port by itself.
    public func cable(isPluggedIn: Bool) { command(isPluggedIn ? "usb plug" : "usb unplug") }

    /// Suspends the bus, or resumes it.
    public func bus(isSuspended: Bool) { command(isSuspended ? "usb suspend" : "usb resume") }

    /// Resets the bus, as a host does that no longer understands its device. It then finds the board and
    /// opens its port anew.
    public func resetBus() { command("usb reset") }

    /// Damages packets: the CRC of so many of the next ones is wrong.
    public func damagePackets(_ count: Int) { command("usb corrupt \(count)") }

    /// Makes the host do nothing for a number of frames: no token, no start of a frame.
    public func hostIsLate(frames: Int) { command("usb stall-frames \(frames)") }

    /// Sets the rate of the port, which a board with USB need not obey.
    public func lineCoding(baud: Int) { command("baud \(baud)") }
}
