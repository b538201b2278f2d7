// NoSensor: the board that the page simulates has no accelerometer.

import CBridgeFirmware

extension InProcessBoard {
    var isSensorTransfer: Bool { false }

    func recordMotion(of actuator: Int, drive: Int, frequency: Double) {}

    func probeSensor(_ addressByte: UInt8) -> Bool { false }

    func finishSensorTransfer(_ start: BoardTime) {}
}

/// A transfer with the accelerometer, which never occurs.
enum SensorTransfer {
    static func time(of transfer: bridge_transfer) -> BoardTime { 0 }
}
