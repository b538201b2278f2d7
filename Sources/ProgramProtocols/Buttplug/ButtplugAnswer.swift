// ButtplugAnswer: the messages that the server sends.

import JSONText

/// The texts of the messages that the server sends. A message that is not an answer has the Id 0.
enum ButtplugAnswer {
    static func ok(_ id: Int) -> String { text("Ok", id) }

    static func error(_ refusal: ButtplugRefusal, _ id: Int) -> String {
        text(
            "Error", id,
            ["ErrorMessage": .string(refusal.text), "ErrorCode": .number(refusal.code.rawValue)])
    }

    static let scanningFinished = text("ScanningFinished", 0)

    static func serverInfo(_ version: ButtplugSession.Version, _ id: Int) -> String {
        let common: KeyValuePairs<String, JSONValue> =
            switch version {
            case .three: ["MessageVersion": .number(3)]
            case .four: ["ProtocolVersionMajor": .number(4), "ProtocolVersionMinor": .number(0)]
            }
        return text(
            "ServerInfo", id,
            ["ServerName": .string("Haptic Bridge"), "MaxPingTime": .number(pingTime)], common)
    }

    private static let pingTime = Int(ButtplugSession.pingTime / 1000)

    /// Returns the list of devices, which contains only the board.
    static func deviceList(
        _ board: ButtplugBoard, _ version: ButtplugSession.Version, _ id: Int
    ) -> String {
        let devices = [JSONValue.object(device(board, version))]
        return text(
            "DeviceList", id, ["Devices": version == .three ? .array(devices) : .numbered(devices)])
    }

    /// Returns the message that announces the board to a client of version 3.
    static func deviceAdded(_ board: ButtplugBoard) -> String {
        text("DeviceAdded", 0, device(board, .three))
    }

    // MARK: Parts

    private static func device(
        _ board: ButtplugBoard, _ version: ButtplugSession.Version
    ) -> KeyValuePairs<String, JSONValue> {
        switch version {
        case .three:
            [
                "DeviceName": .string(board.name), "DeviceIndex": .number(ButtplugBoard.index),
                "DeviceMessageTimingGap": .number(ButtplugBoard.timingGap),
                "DeviceMessages": .object([
                    "ScalarCmd": .array(board.vibrators.map(attributes)),
                    "StopDeviceCmd": .object([:]),
                ]),
            ]
        case .four:
            [
                "DeviceName": .string(board.name), "DeviceIndex": .number(ButtplugBoard.index),
                "DeviceMessageTimingGap": .number(ButtplugBoard.timingGap),
                "DeviceFeatures": .numbered(board.vibrators.enumerated().map { feature($0, $1) }),
            ]
        }
    }

    /// Returns a vibrator as an attribute of ScalarCmd, for a client of version 3.
    private static func attributes(of vibrator: ButtplugBoard.Vibrator) -> JSONValue {
        .object([
            "FeatureDescriptor": .string(vibrator.description),
            "StepCount": .number(vibrator.steps), "ActuatorType": .string("Vibrate"),
        ])
    }

    /// Returns a vibrator as a feature, for a client of version 4.
    private static func feature(_ index: Int, _ vibrator: ButtplugBoard.Vibrator) -> JSONValue {
        .object([
            "FeatureIndex": .number(index), "FeatureDescription": .string(vibrator.description),
            "Output": .object([
                "Vibrate": .object(["Value": .array([.number(0), .number(vibrator.steps)])])
            ]),
        ])
    }

    private static func text(
        _ name: String, _ id: Int, _ fields: KeyValuePairs<String, JSONValue>...
    ) -> String {
        let members = [("Id", JSONValue.number(id))] + fields.flatMap { $0.map { ($0, $1) } }
        let content = JSONValue(.object(JSONObject(members.map { .init($0, $1) })))
        return JSONWriter.text(of: .array([.object([name: content])]), layout: .compact)
    }
}

extension JSONValue {
    fileprivate static func string(_ text: String) -> JSONValue { JSONValue(.string(text)) }

    fileprivate static func number(_ number: Int) -> JSONValue {
        JSONValue(.number(text: "\(number)"))
    }

    fileprivate static func array(_ elements: [JSONValue]) -> JSONValue {
        JSONValue(.array(elements))
    }

    fileprivate static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        JSONValue(.object(JSONObject(members.map { JSONObject.Member($0, $1) })))
    }

    /// Returns an object that contains the given values. The key of each value is the position of
    /// the value.
    fileprivate static func numbered(_ values: [JSONValue]) -> JSONValue {
        let members = values.enumerated().map { JSONObject.Member("\($0)", $1) }
        return JSONValue(.object(JSONObject(members)))
    }
}
