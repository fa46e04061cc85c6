/* Says on the root element, as data-answered, that the app has answered all that the page asked it.

   Streamlit's own data-test-script-state still says notRunning between a click and the app's first
   word about it, and between two runs of which one asked for the other. The script runs before the
   page's own, with the numbers of the messages' fields. */

(({ rerunScript, isAutoRerun, newSession, scriptFinished, finishedForRerun }) => {
  let isAsked = false;
  let isRunning = false;

  const mark = () => {
    const { dataset } = document.documentElement;
    if (isAsked || isRunning) delete dataset.answered;
    else dataset.answered = "yes";
  };

  const change = () => {
    if (isAsked || isRunning) mark();
    // After all that the page still has to draw of the answer; a busy machine may never be idle.
    else requestIdleCallback(mark, { timeout: 1000 });
  };

  const sent = (message) => {
    const request = read(message).get(rerunScript);
    // What a clock asks is answered by nothing once its part of the page is gone.
    if (!request || read(request).get(isAutoRerun)) return;
    isAsked = true;
    change();
  };

  const received = (message) => {
    const fields = read(message);
    if (fields.has(newSession)) {
      isAsked = false;
      isRunning = true;
    } else if (fields.has(scriptFinished)) {
      isRunning = fields.get(scriptFinished) === finishedForRerun;
    } else {
      return;
    }
    change();
  };

  window.WebSocket = class extends WebSocket {
    constructor(...address) {
      super(...address);
      this.addEventListener("message", ({ data }) => received(new Uint8Array(data)));
    }

    send(data) {
      sent(data);
      super.send(data);
    }
  };

  /** The fields of a protobuf message by their numbers: numbers and bytes. */
  function read(bytes) {
    const fields = new Map();
    let place = 0;
    const number = () => {
      for (let value = 0, unit = 1; ; unit *= 128) {
        const byte = bytes[place++];
        value += (byte & 127) * unit;
        if (byte < 128) return value;
      }
    };
    while (place < bytes.length) {
      const tag = number();
      const [field, kind] = [tag >> 3, tag & 7];
      if (kind === 0) fields.set(field, number());
      else if (kind === 2) {
        const length = number();
        fields.set(field, bytes.subarray(place, (place += length)));
      } else place += kind === 1 ? 8 : 4;
    }
    return fields;
  }
})
