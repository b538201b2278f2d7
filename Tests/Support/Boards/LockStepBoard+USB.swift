// Operations that only a board with USB supports: faults of its cable, its bus and its host.

/// The outcome of a request to the control endpoint.
public struct USBRequestOutcome: Equatable, Sendable {
    public enum Status: String, Sendable {
        case done, stalled, failed
        /// The host canceled the request, or the bus was reset.
        case gone
    }

    public var status: Status
    /// The bytes that the request has read.
    public var bytes: [UInt8]

    public init(status: Status, bytes: [UInt8] = []) {
        (self.status, self.bytes) = (status, bytes)
    }
}

extension LockStepBoard {
    /// Causes the host to serve only the control endpoint while `isHeld` is true.
    public func host(isHeld: Bool) { command("usb hold \(isHeld.word)") }

    /// Sends a request to the control endpoint. The request ends when `cancelRequest` is called or
    /// when an outcome is added to `trace.requests`.
    ///
    /// - Parameter data: the bytes that the host sends; the setup packet contains their number.
    public func request(_ setup: [UInt8], data: [UInt8] = []) {
        command("usb request \(setup.hexadecimal) \(data.isEmpty ? "-" : data.hexadecimal)")
    }

    /// Cancels the request that is in progress.
    public func cancelRequest() {
        command("usb cancel")
        advance(to: now + 1)
    }

    /// Plugs in or unplugs the cable. When the cable has been plugged in, the host detects the
    /// board and opens its port automatically.
    public func cable(isPluggedIn: Bool) { command(isPluggedIn ? "usb plug" : "usb unplug") }

    /// Suspends the bus, or resumes it.
    public func bus(isSuspended: Bool) { command(isSuspended ? "usb suspend" : "usb resume") }

    /// Resets the bus, as a host does when its device no longer responds correctly. The host then
    /// detects the board and opens its port again.
    public func resetBus() { command("usb reset") }

    /// Corrupts the CRC of the next `count` packets.
    public func damagePackets(_ count: Int) { command("usb corrupt \(count)") }

    /// Causes the host to be inactive for a number of frames. In these frames, the host sends
    /// neither tokens nor start-of-frame packets.
    public func hostIsLate(frames: Int) { command("usb stall-frames \(frames)") }

    /// Sets the baud rate of the port, which a board with USB may ignore.
    public func lineCoding(baud: Int) { command("baud \(baud)") }
}
