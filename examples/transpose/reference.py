def reference(x):
    return {"y": x.T}
