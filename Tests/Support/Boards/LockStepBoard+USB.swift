// What only a board with USB can be told: its cable, its bus, and a host that is late.

extension LockStepBoard {
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
