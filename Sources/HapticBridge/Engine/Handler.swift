// Handler: a function that the app provides.

import BridgeLink
import Foundation
import Logging

/// A function that the app provides. As in Core Haptics, its type does not express that it may be
/// called on another thread.
///
/// The conformance is unchecked: the function is called and released only on the queue
/// `EngineCore.callbacks`, and elsewhere it is only copied. An app that reads the function back
/// calls it itself.
struct Handler<Function>: @unchecked Sendable {
    let call: Function

    init(_ call: Function) { self.call = call }
}
